import json
import unicodedata
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headwater.evaluation.data.bases import Part, SourceSpec
from headwater.evaluation.data.copies import Corpora
from headwater.evaluation.data.documents import FILE, Inventory, PassageFile
from headwater.evaluation.data.passages import Cut
from headwater.evaluation.errors import DataError
from headwater.sources.parse.reading import clean
from tests.evaluation.data.corpora import write_rows

STARS = SourceSpec("stars", "", (Part("stars"),))


def written(folder: Path, *texts: str) -> PassageFile:
    write_rows(
        folder / "stars" / "corpus.jsonl",
        [{"id": f"t{number}", "text": text} for number, text in enumerate(texts)],
    )
    return opened(STARS, folder, folder / "out")


def opened(spec: SourceSpec, data: Path, out: Path, cut: Cut | None = None) -> PassageFile:
    with Corpora(data, data / "copies") as corpora:
        return Inventory.of(spec, corpora, cut).write(out)


def digest(spec: SourceSpec, data: Path) -> str:
    with Corpora(data, data / "copies") as corpora:
        return Inventory.of(spec, corpora).digest


def test_what_is_indexed_holds_no_id_of_a_passage(small: Path, tmp_path: Path) -> None:
    file = opened(STARS, small, tmp_path / "out")

    lines = [json.loads(line) for line in file.path.read_text().splitlines()]
    assert [set(line) for line in lines] == [{"title", "text", "language"}, {"text", "language"}]
    assert "sirius" not in file.path.read_text()


async def test_a_reference_leads_back_to_its_passage(small: Path, tmp_path: Path) -> None:
    file = opened(STARS, small, tmp_path / "out")

    assert file.doc_of(f"{FILE}##2") == "polaris"
    assert file.text("polaris").startswith("Polaris stands")
    assert await file.holds("sirius")
    assert not await file.holds("mars")
    with pytest.raises(DataError, match="no passage 'mars'"):
        file.text("mars")


@pytest.mark.parametrize("url", ["", FILE, f"{FILE}##0", f"{FILE}##3", "other##1", f"{FILE}##x"])
def test_a_reference_to_something_else_is_refused(small: Path, tmp_path: Path, url: str) -> None:
    file = opened(STARS, small, tmp_path / "out")

    with pytest.raises(DataError, match="is none into"):
        file.doc_of(url)


def test_the_same_passages_have_the_same_digest_and_others_another(small: Path) -> None:
    first = digest(STARS, small)
    assert digest(replace(STARS, name="other"), small) == first

    write_rows(small / "stars" / "corpus.jsonl", [{"id": "sirius", "text": "Another text."}])

    assert digest(STARS, small) != first


def test_two_passages_of_one_id_are_refused(small: Path) -> None:
    twice = SourceSpec("twice", "", (Part("stars"), Part("stars")))

    with pytest.raises(DataError, match=r"source 'twice' have the id 'sirius'.*stars, stars"):
        digest(twice, small)


def test_a_source_without_passages_is_refused(small: Path) -> None:
    none = SourceSpec("none", "", (Part("planets", ("nowhere",)),))

    with pytest.raises(DataError, match="source 'none' has no passages in planets"):
        digest(none, small)


def test_a_cut_source_keeps_what_is_asked_for(small: Path, tmp_path: Path) -> None:
    far = SourceSpec("far", "", (Part("planets", ("outer",)), Part("stars")))

    file = opened(far, small, tmp_path / "out", Cut(1, frozenset({"polaris"})))

    assert file.ids == ["polaris"]
    assert file.text("polaris").startswith("Polaris stands")


def test_a_cache_that_cannot_be_written_says_so(small: Path, tmp_path: Path) -> None:
    (tmp_path / "out").write_text("a file where a folder should be")

    with pytest.raises(DataError, match=r"cannot be written .*Name another folder"):
        opened(STARS, small, tmp_path / "out")


def test_a_full_disk_leaves_no_half_file(
    small: Path, tmp_path: Path, full_disk: Callable[[int], AbstractContextManager[None]]
) -> None:
    with Corpora(small, small / "copies") as corpora:
        inventory = Inventory.of(STARS, corpora)
        with full_disk(20), pytest.raises(DataError, match=r"cannot be written .*make room"):
            inventory.write(tmp_path / "out")

    assert list((tmp_path / "out").iterdir()) == []


def test_places_are_those_of_the_text_as_it_was_written(tmp_path: Path) -> None:
    text = "\r\n  Le cafe\u0301 est\r\nferme\u0301."
    file = written(tmp_path, text)
    indexed = clean(text).strip()

    start = indexed.index("est")
    found = file.span("t0", start, len(indexed))

    assert text[slice(*found)] == "est\r\nferme\u0301."
    assert text[slice(*file.span("t0", 3, 7))] == "cafe\u0301"


@given(
    st.text(
        st.sampled_from(" \n\r\tae\u0301\u0308한\u1112\u1161\u11abz.\u3000"), min_size=1
    ).filter(lambda text: text.strip() != ""),
    st.data(),
)
def test_every_place_of_an_indexed_text_is_found_again(
    tmp_path_factory: pytest.TempPathFactory, text: str, draw: st.DataObject
) -> None:
    file = written(tmp_path_factory.mktemp("written"), text)
    indexed = clean(text.strip())
    start = draw.draw(st.integers(0, len(indexed)))
    end = draw.draw(st.integers(start, len(indexed)))

    first, last = file.span("t0", start, end)

    assert 0 <= first <= last <= len(text)
    assert unicodedata.normalize("NFC", clean(text[first:last])) == indexed[start:end]
