import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from headwater.domain.ports import Scorable
from headwater.models.ranker.adapter import read_adapter
from headwater.models.ranker.onnx_scorer import REVISION
from headwater.models.ranker.reading import Pair
from headwater.models.ranker.scores import read_combination
from headwater.models.training import scores
from headwater.models.training.logits import KeptLogits, open_logits
from tests.models.ranker.made_adapter import write_adapter
from tests.models.training.parts_data import write_parts
from tests.models.training.ranking.made import reader


@pytest.fixture(scope="module")
def made_once(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("cache")


@pytest.fixture
def cache(made_once: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HEADWATER_CACHE", str(made_once))


@pytest.mark.usefixtures("cache")
def test_the_command_calibrates_an_adapter_and_does_so_again_to_the_same_file(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data, folder = write_parts(tmp_path / "data"), write_adapter(tmp_path / "adapter")
    write_parts(data, name="pieces")
    command = ["--data", str(data), "--adapter", str(folder), "--queries", "6", "--depth", "2"]

    scores.main(command)
    first = (folder / "scores.json").read_text()
    scores.main(command)

    assert (folder / "scores.json").read_text() == first
    fitted = json.loads(first)
    adapter = read_adapter(folder)
    assert adapter.scores == fitted
    assert read_combination(fitted).features == scores.CHOSEN
    assert fitted["origin"]["split"] == "dev"
    assert fitted["measured"]["rows"]["labelled"] == 36
    assert 0.0 <= fitted["measured"]["unseen_set"]["calibration_error"] <= 1.0
    assert str(tmp_path) not in first
    assert json.loads(capsys.readouterr().out.split("\n}\n")[0] + "\n}") == fitted["measured"]


@pytest.mark.usefixtures("cache")
def test_without_the_logit_no_network_is_needed(tmp_path: Path) -> None:
    data, folder = write_parts(tmp_path / "data"), tmp_path / "empty"

    scores.main(["--data", str(data), "--adapter", str(folder), "--features", "similarity",
                 "lexical"])  # fmt: skip

    fitted = json.loads((folder / "scores.json").read_text())
    assert read_combination(fitted).features == ("similarity", "lexical")
    assert fitted["measured"]["unseen_set"] is None


@pytest.mark.usefixtures("cache")
@pytest.mark.parametrize(("questions", "said"), [("0", "no labelled pairs"), ("9", "9 labelled")])
def test_too_few_questions_end_the_command_with_a_reason(
    tmp_path: Path, questions: str, said: str
) -> None:
    data = write_parts(tmp_path / "data")

    with pytest.raises(SystemExit, match=said):
        scores.main(["--data", str(data), "--adapter", str(tmp_path), "--queries", questions,
                     "--features", "lexical"])  # fmt: skip


@pytest.mark.usefixtures("cache")
def test_a_folder_without_an_adapter_ends_the_command_with_a_reason(tmp_path: Path) -> None:
    data = write_parts(tmp_path / "data")

    with pytest.raises(SystemExit, match="nowhere"):
        scores.main(["--data", str(data), "--adapter", str(tmp_path / "nowhere")])


class CountingScorer:
    name, device = "counting", "cpu"
    notes: tuple[str, ...] = ()

    def __init__(self) -> None:
        self.scored = 0

    def logits(self, pairs: Sequence[Pair]) -> list[float]:
        self.scored += len(pairs)
        return [float(len(pair.ids)) for pair in pairs]


def test_logits_are_remembered_on_disk(tmp_path: Path) -> None:
    passages, scorer = [Scorable("the pump"), Scorable("the valve was made")], CountingScorer()
    kept = KeptLogits(reader(), scorer, tmp_path / "logits.npz")
    first = kept("What is the pump ?", passages)
    kept.keep()

    again = KeptLogits(reader(), scorer, tmp_path / "logits.npz")

    assert again("What is the pump ?", passages) == first
    assert first == [10.0, 12.0]
    assert scorer.scored == 2


def test_logits_are_kept_for_one_adapter_and_one_rounding(made_once: Path, tmp_path: Path) -> None:
    adapter = read_adapter(write_adapter(tmp_path / "adapter"))

    kept = open_logits(adapter, made_once)
    kept("What is the pump?", [Scorable("The pump is red.")])
    kept.keep()

    name = f"logits-{adapter.weights_digest[:16]}-int8-{REVISION}.npz"
    assert (made_once / name).is_file()


def test_a_blank_passage_has_no_logit(tmp_path: Path) -> None:
    kept = KeptLogits(reader(), CountingScorer(), tmp_path / "logits.npz")

    first, second = kept("pump", [Scorable("the pump"), Scorable(" ")])

    assert first is not None
    assert second is None
