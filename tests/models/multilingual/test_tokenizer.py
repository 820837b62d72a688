from pathlib import Path

import pytest
from tokenizers import Tokenizer

from headwater.models.multilingual.container import Container, open_container
from headwater.models.multilingual.tokenizer import FILE, rebuilt, tokenizer_folder
from headwater.models.tokenizer import open_tokenizer
from headwater.models.weights import MULTILINGUAL_E5, find_weights
from tests.models.multilingual.written import write_container


@pytest.fixture(scope="module")
def container() -> Container:
    return open_container(find_weights(MULTILINGUAL_E5))


@pytest.fixture(scope="module")
def tokenizer(container: Container) -> Tokenizer:
    return rebuilt(container.vocabulary)


def test_known_ids_come_out(tokenizer: Tokenizer) -> None:
    assert tokenizer.encode("Hello world!").ids == [0, 35378, 8999, 38, 2]


@pytest.mark.parametrize(
    "text", ["Hello  world!", " Hello\tworld!\n\n", "Hello\u00a0world!", "Ｈｅｌｌｏ world！"]
)
def test_blanks_and_widths_of_letters_make_no_difference(text: str, tokenizer: Tokenizer) -> None:
    assert tokenizer.encode(text).ids == [0, 35378, 8999, 38, 2]


@pytest.mark.parametrize(
    ("text", "pieces"),
    [
        ("L'entretien annuel", ["▁L", "'", "entretien", "▁annuel"]),
        ("泵在哪里漏水？", ["▁", "泵", "在哪里", "漏", "水", "?"]),
        ("中文～测试", ["▁", "中文", "～", "测试"]),
        ("e\u0301te\u0301", ["▁été"]),
        ("", []),
        (" \n ", []),
    ],
)
def test_text_becomes_pieces(text: str, pieces: list[str], tokenizer: Tokenizer) -> None:
    assert tokenizer.encode(text).tokens == ["<s>", *pieces, "</s>"]


def test_an_unknown_character_is_unknown(tokenizer: Tokenizer) -> None:
    assert tokenizer.encode("a 𠮟𠮟 b").ids == [0, 10, 6, 3, 876, 2]


@pytest.mark.parametrize("mark", ["<s>", "</s>", "<pad>", "<unk>", "<mask>", "＜/s＞"])
def test_text_that_spells_a_mark_does_not_become_it(mark: str, tokenizer: Tokenizer) -> None:
    ids = tokenizer.encode(f"end {mark} of text").ids

    assert not {0, 1, 2, 3, 250001} & set(ids[1:-1])
    assert (ids[0], ids[-1]) == (0, 2)


def test_a_pair_has_two_ends_between(tokenizer: Tokenizer) -> None:
    assert tokenizer.encode("Hello", "world!").ids == [0, 35378, 2, 2, 8999, 38, 2]


def test_the_file_in_the_cache_gives_the_same_and_is_made_once(tmp_path: Path) -> None:
    small = open_container(write_container(tmp_path / "small.bin"))
    folder = tokenizer_folder(small, tmp_path / "new" / "folder")
    made = (folder / FILE).stat().st_mtime_ns

    again = tokenizer_folder(small, folder)

    assert (again / FILE).stat().st_mtime_ns == made
    assert [f.name for f in folder.iterdir()] == [FILE]
    assert open_tokenizer(folder, 8)(["a水 a", "x"]) == [[0, 4, 5, 6, 4, 5, 2], [0, 4, 3, 2]]


def test_a_long_text_is_cut_before_its_end_mark(tmp_path: Path) -> None:
    small = open_container(write_container(tmp_path / "small.bin"))
    tokenize = open_tokenizer(tokenizer_folder(small, tmp_path / "cache"), 6)

    assert tokenize(["a" * 50]) == [[0, 4, 5, 5, 5, 2]]
