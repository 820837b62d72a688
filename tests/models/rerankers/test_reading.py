import itertools
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import Tokenizer, normalizers

from headwater.domain.ports import Scorable
from headwater.models.rerankers.forms import Encoded, MarkedPairs
from headwater.models.rerankers.reading import MAX_WINDOWS, PassageReader
from tests.models.rerankers import tiny

QUERY = "worn seal"
LIMIT = 48


@pytest.fixture(scope="module")
def tokenizer(tmp_path_factory: pytest.TempPathFactory) -> Tokenizer:
    folder = tiny.bert(tmp_path_factory.mktemp("bert"))
    return Tokenizer.from_file(str(folder / "tokenizer.json"))


@pytest.fixture(scope="module")
def reader(tokenizer: Tokenizer) -> PassageReader:
    return PassageReader(tokenizer, MarkedPairs(tokenizer, LIMIT))


def passage_of(tokenizer: Tokenizer, pair: Encoded) -> str:
    """What stands between the second and the third mark."""
    mark = tiny.MASKED.index("[SEP]")
    return str(tokenizer.decode(pair.ids[pair.ids.index(mark) :]))


def read(tokenizer: Tokenizer, text: str) -> str:
    """A text as it comes back from its tokens."""
    return str(tokenizer.decode(tokenizer.encode(text, add_special_tokens=False).ids))


def test_reads_title_heading_and_text_in_this_order(
    reader: PassageReader, tokenizer: Tokenizer
) -> None:
    ((pair,),) = reader.pairs(QUERY, [Scorable("The shaft.", title="Pump", heading="Service")])

    assert passage_of(tokenizer, pair) == read(tokenizer, "Pump Service The shaft.")


def test_a_heading_that_repeats_the_title_is_read_once(reader: PassageReader) -> None:
    once, twice = reader.pairs(
        QUERY, [Scorable("The shaft.", title="Pump"), Scorable("The shaft.", "Pump", "Pump")]
    )

    assert once == twice


@pytest.mark.parametrize("text", ["", " \n\t "])
def test_of_a_blank_text_nothing_is_read(reader: PassageReader, text: str) -> None:
    assert reader.pairs(QUERY, [Scorable(text, title="Pump")]) == [[]]


def test_of_a_text_without_tokens_its_title_is_read(tokenizer: Tokenizer) -> None:
    silent = Tokenizer.from_str(tokenizer.to_str())
    silent.normalizer = normalizers.Replace("\u200b", "")
    reader = PassageReader(silent, MarkedPairs(silent, LIMIT))

    short, long = reader.pairs(
        QUERY, [Scorable("\u200b", title="Pump"), Scorable("\u200b", title="pump " * 200)]
    )

    assert passage_of(silent, short[0]) == read(silent, "Pump")
    assert set(passage_of(silent, long[0]).split()) == {"pump"}
    assert len(long[0].ids) <= LIMIT


def test_windows_overlap_and_hold_all_of_a_long_text(
    reader: PassageReader, tokenizer: Tokenizer
) -> None:
    words = random.Random(1).choices(" ".join(tiny.TEXTS).split(), k=90)

    (windows,) = reader.pairs(QUERY, [Scorable(" ".join(words), title="Pump")])

    texts = [passage_of(tokenizer, window) for window in windows]
    assert len(windows) > 2
    assert all(text.startswith(read(tokenizer, "Pump")) for text in texts)
    assert all(len(window.ids) <= LIMIT for window in windows)
    whole = read(tokenizer, " ".join(words))
    bare = [text.removeprefix(read(tokenizer, "Pump")).strip() for text in texts]
    assert whole.startswith(bare[0])
    assert whole.endswith(bare[-1])
    for before, after in itertools.pairwise(bare):
        assert 0 < len(before) - (whole.index(after) - whole.index(before)) < len(before)


def test_of_too_many_windows_those_with_the_querys_words_are_read(
    reader: PassageReader, tokenizer: Tokenizer
) -> None:
    filler = "bearing " * 2_000

    (windows,) = reader.pairs(QUERY, [Scorable(f"{filler} A worn seal leaks. {filler}")])

    assert len(windows) == MAX_WINDOWS
    assert any(read(tokenizer, "worn seal") in passage_of(tokenizer, each) for each in windows)


def test_a_long_query_leaves_half_to_the_passage(
    reader: PassageReader, tokenizer: Tokenizer
) -> None:
    (windows,) = reader.pairs("pump " * 500, [Scorable("shaft " * 500)])

    mark = tiny.MASKED.index("[SEP]")
    assert all(window.ids.index(mark) == LIMIT // 2 + 1 for window in windows)
    assert all("shaft" in passage_of(tokenizer, window) for window in windows)


def test_a_megabyte_is_read_through_as_few_windows_as_a_page(reader: PassageReader) -> None:
    (windows,) = reader.pairs(QUERY, [Scorable("The motor hums. " * 65_536)])

    assert len(windows) == MAX_WINDOWS


@given(
    st.text(max_size=200),
    st.lists(st.builds(Scorable, st.text(max_size=400), st.text(max_size=60)), max_size=4),
)
def test_any_text_fits_and_does_not_depend_on_its_neighbours(
    reader: PassageReader, query: str, passages: list[Scorable]
) -> None:
    together = reader.pairs(query, passages)

    assert all(len(pair.ids) <= LIMIT for passage in together for pair in passage)
    assert together == [reader.pairs(query, [passage])[0] for passage in passages]
    for passage, found in zip(passages, together, strict=True):
        assert bool(found) == bool(passage.text.strip())


def test_mixed_scripts_and_lone_surrogates_are_read(reader: PassageReader) -> None:
    (windows,) = reader.pairs("naïve 密封 \ud800", [Scorable("泵 насос مضخة \udfff")])

    assert len(windows) == 1
