"""What every keyword engine must do."""

import sqlite3
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from headwater.domain.words import terms
from headwater.sources.index.keyword import KeywordEntry, KeywordIndex

Open = Callable[[Path], KeywordIndex]

TEXTS = {
    "seal": ("Pump X-200", "The seal of the X-200 pump is made of rubber."),
    "oil": ("Pump oil", "Change the oil of every pump once a year."),
    "leave": ("Holiday", "Staff may take thirty days of leave."),
    "french": ("Entretien", "Les préférences d'étanchéité de la pompe."),
    "chinese": ("水泵手册", "更换水泵的密封圈。"),
}


def entry(name: str, title: str, text: str, label: int = 1) -> KeywordEntry:
    return KeywordEntry(name, terms(title), terms(text), label)


def entries() -> list[KeywordEntry]:
    return [entry(name, title, text) for name, (title, text) in TEXTS.items()]


class KeywordContract:
    """Inherit, and give a fixture `open_index` that opens the engine in a folder."""

    @pytest.fixture
    def index(self, open_index: Open, tmp_path: Path) -> Iterator[KeywordIndex]:
        index = open_index(tmp_path / "keyword")
        yield index
        index.close()

    def test_a_new_index_is_empty_and_finds_nothing(self, index: KeywordIndex) -> None:
        assert (index.count(), list(index.ids())) == (0, [])
        assert index.search(["pump"], limit=5) == []
        assert index.document_frequency("pump") == 0

    def test_puts_the_passage_with_more_and_rarer_terms_first(self, index: KeywordIndex) -> None:
        index.write(add=entries())
        assert index.search(terms("seal of a pump"), limit=5) == ["seal", "oil"]

    def test_finds_compounds_whole_and_by_their_parts(self, index: KeywordIndex) -> None:
        index.write(add=entries())
        assert index.search(terms("x-200"), limit=5) == ["seal"]
        assert index.search(["200"], limit=5) == ["seal"]

    def test_finds_words_with_accents_and_chinese_words(self, index: KeywordIndex) -> None:
        index.write(add=entries())
        assert index.search(terms("PRÉFÉRENCES"), limit=5) == ["french"]
        assert index.search(terms("密封"), limit=5) == ["chinese"]

    def test_gives_no_more_than_the_limit(self, index: KeywordIndex) -> None:
        index.write(add=entries())
        assert len(index.search(["pump"], limit=1)) == 1
        assert index.search(["pump"], limit=0) == []

    def test_finds_nothing_for_no_terms_and_for_unknown_ones(self, index: KeywordIndex) -> None:
        index.write(add=entries())
        assert index.search([], limit=5) == []
        assert index.search(["zebra"], limit=5) == []

    def test_counts_the_passages_that_hold_a_term_once_each(self, index: KeywordIndex) -> None:
        index.write(add=entries())
        assert index.document_frequency("pump") == 2
        assert index.document_frequency("zebra") == 0

    def test_an_added_passage_replaces_the_deleted_one_of_its_id(self, index: KeywordIndex) -> None:
        index.write(add=entries())
        index.write(delete=["oil"], add=[entry("oil", "Grease", "Grease the bearing.")])
        assert index.search(["oil"], limit=5) == []
        assert index.search(["bearing"], limit=5) == ["oil"]
        assert index.count() == len(TEXTS)

    def test_deletes_what_it_knows_and_passes_over_the_rest(self, index: KeywordIndex) -> None:
        index.write(add=entries())
        index.write(delete=["oil", "no-such-id"])
        assert sorted(index.ids()) == sorted(TEXTS.keys() - {"oil"})
        assert index.search(["oil"], limit=5) == []

    def test_restricts_hits_to_the_labels_asked_for(self, index: KeywordIndex) -> None:
        index.write(add=[entry(f"p{label}", "Pump", "A pump.", label) for label in range(4)])
        assert sorted(index.search(["pump"], limit=9, labels=[1, 3])) == ["p1", "p3"]
        assert index.search(["pump"], limit=9, labels=[]) == []

    def test_words_that_a_query_language_would_obey_are_plain_words(
        self, index: KeywordIndex
    ) -> None:
        index.write(add=[entry("not", "Logic", "Use NEAR, AND or NOT: near(a*) x_y O'Neil.")])
        for text in ("near", "o'neil", "x_y"):
            assert index.search(terms(text), limit=5) == ["not"], text

    def test_finds_after_reopening_what_was_written(self, open_index: Open, tmp_path: Path) -> None:
        first = open_index(tmp_path / "keyword")
        first.write(add=entries())
        first.close()
        again = open_index(tmp_path / "keyword")
        assert again.count() == len(TEXTS)
        assert again.search(["rubber"], limit=5) == ["seal"]
        again.close()

    def test_a_title_boost_moves_passages_with_the_word_in_the_title_up(
        self, boosted: Callable[[Path, float], KeywordIndex], tmp_path: Path
    ) -> None:
        both = [
            entry("title", "Valve", "About parts."),
            entry("text", "Parts", "A valve, a valve."),
        ]
        for boost, first in ((0.1, "text"), (20.0, "title")):
            index = boosted(tmp_path / str(boost), boost)
            index.write(add=both)
            assert index.search(["valve"], limit=5)[0] == first
            index.close()

    def test_searches_from_many_threads_while_it_is_written(self, index: KeywordIndex) -> None:
        index.write(add=entries())
        wrong: list[object] = []

        def ask() -> None:
            for _ in range(50):
                try:
                    found = index.search(terms("rubber seal"), limit=1)
                except (OSError, sqlite3.Error) as exc:
                    wrong.append(exc)
                else:
                    wrong.extend([found] if found != ["seal"] else [])

        threads = [threading.Thread(target=ask) for _ in range(6)]
        for thread in threads:
            thread.start()
        for number in range(4):
            index.write(add=[entry(f"n{number}", "Other", "Something else.")])
        for thread in threads:
            thread.join()
        assert wrong == [], wrong

    def test_closing_twice_does_nothing(self, open_index: Open, tmp_path: Path) -> None:
        index = open_index(tmp_path / "keyword")
        index.close()
        index.close()
