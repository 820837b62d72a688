from pathlib import Path

import pytest

from headwater.evaluation.data.bases import Part, base_names, one_set, read_base
from headwater.evaluation.data.dataset import Dataset
from headwater.evaluation.errors import DataError
from tests.evaluation.data.corpora import sky, write_base


def test_a_base_is_read_with_its_sources_and_its_questions(small: Path) -> None:
    base = read_base(small, "sky")

    assert [source.name for source in base.sources] == ["inner_planets", "far_away"]
    assert base.sources[1].parts == (Part("planets", ("outer",)), Part("stars"))
    assert base.sources[0].variants == {"opaque": "ks_01"}
    assert [(queries.set, queries.langs) for queries in base.queries] == [
        ("planets", ("en",)),
        ("stars", None),
    ]


def test_an_unknown_base_names_those_that_are_there(small: Path) -> None:
    write_base(small, "sea", {**sky(), "name": "sea"})

    assert base_names(small) == ["sea", "sky"]
    with pytest.raises(DataError, match=r"no knowledge base 'land'.*Known are sea, sky"):
        read_base(small, "land")


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"sources": []}, "sources"),
        ({"queries": [{"set": "../outside"}]}, r"queries\.0\.set"),
        ({"sauces": 1}, "sauces"),
    ],
)
def test_a_wrong_base_names_file_and_field(
    small: Path, change: dict[str, object], said: str
) -> None:
    path = write_base(small, "sky", {**sky(), **change})

    with pytest.raises(DataError, match=f"{path}: {said}"):
        read_base(small, "sky")


def test_a_redaction_takes_sources_away_and_adds_others(small: Path) -> None:
    base = read_base(small, "sky")
    assert base.redaction is not None

    redacted = base.without(base.redaction.remove, add=base.redaction.add)

    assert [source.name for source in redacted.sources] == ["far_away", "web"]
    assert [source.name for source in base.sources] == ["inner_planets", "far_away"]


def test_what_is_not_there_cannot_be_taken_away(small: Path) -> None:
    base = read_base(small, "sky")

    with pytest.raises(DataError, match=r"no source 'moons'.*far_away, inner_planets"):
        base.without(["moons"])
    with pytest.raises(DataError, match="No source of 'sky' would be left"):
        base.without(["inner_planets", "far_away"])


def test_other_names_and_descriptions_leave_the_passages_as_they_are(small: Path) -> None:
    base = read_base(small, "sky")

    other = base.named({"inner_planets": "ks_01"}, {"far_away": "Things"})

    assert [(s.name, s.description) for s in other.sources] == [
        ("ks_01", "Planets inside the belt"),
        ("far_away", "Things"),
    ]
    assert [s.parts for s in other.sources] == [s.parts for s in base.sources]


def test_one_set_alone_makes_a_base_of_one_source() -> None:
    base = one_set("stars")

    assert [(s.name, s.parts) for s in base.sources] == [("stars", (Part("stars"),))]
    assert [queries.set for queries in base.queries] == ["stars"]


def test_the_public_bases_have_the_passages_that_they_say(data: Path) -> None:
    base = read_base(data, "multilingual_docs_3")

    assert {s.name for s in base.sources} >= {"debian_docs_french"}
    [part] = base.sources[1].parts
    rows = Dataset(data / part.set).corpus()
    assert sum(row.source in (part.sources or ()) for row in rows) == 480
