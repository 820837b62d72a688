import json
import math
from pathlib import Path

import pytest

from headwater.domain.errors import ConfigurationError
from headwater.models.ranker.evidence import read_term_weights
from headwater.models.registry import coefficients_digest
from headwater.models.training import term_weights
from headwater.models.training.term_weights import FEW_PASSAGES, Counts, evenly
from tests.models.training.parts_data import write


def corpus(folder: Path, name: str, texts: list[str], *, lang: str = "en", split: str = "train",
           ) -> Path:  # fmt: skip
    rows = [
        {"id": f"{split}{n}", "title": "", "text": text, "lang": lang, "split": split}
        for n, text in enumerate(texts)
    ]
    write(folder / name / "corpus.jsonl.gz", rows)
    return folder


def test_weights_are_those_of_bm25_to_one_digit(tmp_path: Path) -> None:
    texts = ["pump valve"] * 30 + ["pump"] * 70 + ["seal"] * (FEW_PASSAGES - 100)

    found = read_term_weights(term_weights.term_weights(corpus(tmp_path, "one", texts)))

    for term, df in (("pump", 100), ("valve", 30)):
        exact = math.log(1 + (FEW_PASSAGES - df + 0.5) / (df + 0.5))
        assert found(term) == pytest.approx(exact, abs=0.051)
    assert found.unknown == found("valve") == max(found.weights.values())


def test_passages_kept_for_evaluation_and_sets_for_evaluation_only_leave_no_trace(
    tmp_path: Path,
) -> None:
    usual = ["pump valve seal"] * FEW_PASSAGES
    corpus(tmp_path, "one", usual)
    expected = term_weights.term_weights(tmp_path)
    corpus(tmp_path, "two", ["secret figures"] * 40, split="eval")
    corpus(tmp_path, "financebench", ["secret figures"] * 40)

    assert term_weights.term_weights(tmp_path) == expected


def test_a_term_in_fewer_than_three_passages_is_not_kept(tmp_path: Path) -> None:
    texts = ["pump"] * (FEW_PASSAGES - 5) + ["pump rarity rarity"] * 2 + ["pump usual"] * 3

    listed = read_term_weights(term_weights.term_weights(corpus(tmp_path, "one", texts))).weights

    assert "usual" in listed
    assert "rarity" not in listed


def test_a_term_weighs_what_it_does_where_it_is_most_common(tmp_path: Path) -> None:
    corpus(tmp_path, "one", ["pump"] * (FEW_PASSAGES - 3) + ["der"] * 3)
    before = read_term_weights(term_weights.term_weights(tmp_path))
    corpus(tmp_path, "two", ["der Kolben"] * FEW_PASSAGES, lang="de")

    after = read_term_weights(term_weights.term_weights(tmp_path))

    assert after("der") == 0.1 < 3.0 < before("der")


def test_a_language_of_few_passages_gives_its_function_words_only() -> None:
    counts = Counts()
    for n in range(60):
        counts.add("der Kolben" if n < 5 else "der")

    assert [term for term, _ in counts.common()] == ["der"]


def test_a_large_set_is_read_evenly() -> None:
    rows = [{"id": n} for n in range(10)]

    assert evenly(rows, 20) == rows
    assert [row["id"] for row in evenly(rows, 5)] == [0, 2, 4, 6, 8]


def test_the_command_writes_the_file_with_its_origin_and_its_sum(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data = corpus(tmp_path / "data", "piaf", ["pompe étanche"] * FEW_PASSAGES, lang="fr")
    for out in ("one", "two"):
        term_weights.main(["--data", str(data), "--out", str(tmp_path / out)])

    first, second = ((tmp_path / out / "term_weights.json").read_text() for out in ("one", "two"))

    assert first == second
    fitted = json.loads(first)
    assert fitted["digest"] == coefficients_digest(fitted)
    assert fitted["origin"]["passages"] == {"piaf": FEW_PASSAGES}
    assert "CC BY-SA" in fitted["origin"]["datasets"]["piaf"]
    assert str(tmp_path) not in first
    assert '"piaf"' in capsys.readouterr().out


def test_a_folder_with_nothing_to_learn_from_is_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="nothing-here"):
        term_weights.term_weights(tmp_path / "nothing-here")
