import gzip
import json
from array import array
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from headwater.domain.errors import ConfigurationError
from headwater.domain.ports import Vector
from headwater.models.multilingual.centre import FITTED, Centre, CentredEncoder, read_centre
from headwater.models.registry import coefficients_digest
from headwater.models.training import centre
from headwater.models.training.centre import Remembering, centre_of, drawn


class Directions:
    """An encoder in the plane: a text is the angle of its vector."""

    name, device = "plane", "cpu"

    def __init__(self) -> None:
        self.asked: list[str] = []

    @property
    def dimensions(self) -> int:
        return 2

    def encode(self, texts: Sequence[str]) -> list[Vector]:
        self.asked += texts
        angles = [float(text.removeprefix("passage: ")) for text in texts]
        return [array("f", (np.cos(a), np.sin(a))) for a in angles]


@given(st.lists(st.floats(-3, 3), max_size=5), st.tuples(st.floats(-2, 2), st.floats(-2, 2)))
def test_every_vector_has_length_one_again(angles: list[float], mean: tuple[float, float]) -> None:
    found = CentredEncoder(Directions(), Centre(mean)).encode(list(map(str, angles)))

    lengths = [float(np.linalg.norm(vector)) for vector in found]
    assert all(length == pytest.approx(1, abs=1e-5) or length == 0 for length in lengths)
    assert len(found) == len(angles)


def test_vectors_point_away_from_the_centre() -> None:
    narrow = ["0.1", "-0.1"]
    encoder = CentredEncoder(Directions(), Centre((float(np.cos(0.1)), 0.0)))

    first, second = encoder.encode(narrow)

    assert np.dot(first, second) == pytest.approx(-1, abs=1e-5)


def test_another_centre_has_another_name() -> None:
    names = {CentredEncoder(Directions(), Centre((0.1, y))).name for y in (0.2, 0.2, 0.3)}

    assert len(names) == 2
    assert all(name.startswith("plane-centred-") for name in names)


def test_a_centre_of_other_dimensions_is_refused() -> None:
    with pytest.raises(ConfigurationError, match="3 dimensions, the vectors of plane have 2"):
        CentredEncoder(Directions(), Centre((0.1, 0.2, 0.3)))


def test_the_centre_of_the_package_is_that_of_a_narrow_cone() -> None:
    mean = np.array(read_centre().mean)

    assert mean.shape == (384,)
    assert 0.8 < np.linalg.norm(mean) < 0.95


def test_every_language_weighs_the_same_in_the_centre() -> None:
    upright, level = ("s", str(np.pi / 2)), ("s", "0")

    found = centre_of(Directions(), {"en": [level] * 9, "fr": [upright]})

    assert found.mean == pytest.approx((0.5, 0.5), abs=1e-4)


def test_only_passages_that_may_be_learned_from_are_drawn(tmp_path: Path) -> None:
    for name in ("piaf", "financebench"):
        (tmp_path / name).mkdir()
        rows: list[dict[str, object]] = [
            {"id": str(i), "title": "t", "text": f"{name} {split}", "lang": "fr", "split": split}
            for i, split in enumerate(["train", "eval", "both", "train"])
        ]
        write_rows(tmp_path / name / "corpus.jsonl.gz", rows)

    found = drawn(tmp_path, 10)

    texts = ["t\npiaf both", "t\npiaf train", "t\npiaf train"]
    assert {key: sorted(rows) for key, rows in found.items()} == {
        "fr": [("piaf", text) for text in texts]
    }
    assert len(drawn(tmp_path, 1)["fr"]) == 1


def test_a_folder_without_such_passages_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="no passage to learn from"):
        drawn(tmp_path, 10)


def test_a_text_is_encoded_once() -> None:
    plane = Directions()
    encoder = Remembering(plane)

    first, again = encoder.encode(["1", "2", "1"]), encoder.encode(["2", "3"])

    assert plane.asked == ["1", "2", "3"]
    assert first[0] == first[2]
    assert again[0] == first[1]


def write_rows(path: Path, rows: list[dict[str, object]]) -> None:
    with gzip.open(path, "wt") as file:
        file.write("\n".join(map(json.dumps, rows)))


def test_the_command_writes_a_centre_with_what_it_changes(tmp_path: Path) -> None:
    (tmp_path / "piaf").mkdir()
    texts = ["The seal of the pump leaks.", "Bread rests for an hour.", "Sapphires are blue."]
    passages: list[dict[str, object]] = [
        {"id": str(i), "title": "", "text": text, "lang": "en", "split": split}
        for i, text in enumerate(texts)
        for split in ["eval" if i == 0 else "train"]
    ]
    asked: dict[str, object] = {"id": "q", "question": "What leaks?", "lang": "en", "split": "dev"}
    pairs: list[dict[str, object]] = [
        {"qid": "q", "docid": docid, "grade": grade, "kind": "random"}
        for docid, grade in [("0", 4), ("1", 0)]
    ]
    for name, rows in [("corpus", passages), ("queries.dev", [asked]), ("pairs.dev", pairs)]:
        write_rows(tmp_path / "piaf" / f"{name}.jsonl.gz", rows)

    command = ["--data", str(tmp_path), "--out", str(tmp_path / "out"), "--held-out", "1"]
    centre.main(command)

    found = json.loads((tmp_path / "out" / FITTED).read_text("utf-8"))
    assert found["digest"] == coefficients_digest(found)
    assert len(found["centre"]) == 384
    assert found["origin"]["passages"] == {"en": 2}
    assert found["origin"]["datasets"] == {"piaf": "MIT; passages Wikipedia, CC BY-SA"}
    raw, centred = (found["measured"][name] for name in ("multilingual", "centred"))
    assert raw["mean_cosine_by_grade"]["0"] > 0.7 > centred["mean_cosine_by_grade"]["4"]
    assert centred["auc_3_against_1"] == {"cosine": 1.0, "score": 1.0}
