import json
import tracemalloc
from pathlib import Path

import pytest

from headwater.domain.errors import FileRejectedError, LimitExceededError
from headwater.sources.document import Document
from headwater.sources.parse.limits import ParseLimits
from headwater.sources.parse.records import MAX_WARNINGS, parse_records
from tests.sources.hostile_files import entry_for, write


def records(path: Path, content: str | bytes, limits: ParseLimits | None = None) -> list[Document]:
    entry = write(path, content)
    return list(parse_records(entry, path.suffix[1:], limits or ParseLimits()))


def test_a_record_becomes_a_document_with_its_fields(tmp_path: Path) -> None:
    line = json.dumps(
        {
            "ID": "T-17",
            "Subject": "Leak at the seal",
            "body": "Water drips.\nDaily.",
            "priority": 2,
            "tags": ["pump", "leak"],
            "site": {"city": "Lyon"},
            "steps": [{"do": "close"}, {"do": "drain"}],
            "lang": "en-GB",
            "url": "https://example.org/T-17",
            "access": ["support"],
            "none": None,
        }
    )

    (found,) = records(tmp_path / "a.jsonl", line)

    assert (found.title, found.record, found.language) == ("Leak at the seal", "T-17", "en")
    assert (found.url, found.access) == ("https://example.org/T-17", ["group:support"])
    assert found.sections[0].text == (
        "Water drips.\nDaily.\n\nID: T-17\npriority: 2\ntags: pump, leak\nsite.city: Lyon\n"
        "steps.1.do: close\nsteps.2.do: drain"
    )


def test_a_title_as_long_as_a_text_loses_nothing(tmp_path: Path) -> None:
    (found,) = records(tmp_path / "a.jsonl", json.dumps({"summary": "word " * 100 + "end"}))

    assert len(found.title) == 300
    assert found.sections[0].text.endswith("word end")


def test_a_bad_line_is_named_and_the_others_go_on(tmp_path: Path) -> None:
    lines = ['{"text": "one"}', "{broken", "", '{"text": "two"}', '{"text": "x", "access": null}']

    found = records(tmp_path / "a.jsonl", "\n".join(lines))

    assert [document.sections[0].text for document in found] == ["one", "two"]
    assert "Line 2: left out, it is no JSON" in found[0].warnings[0]
    assert "Line 5: left out" in found[1].warnings[0]


def test_the_first_lines_may_be_the_bad_ones(tmp_path: Path) -> None:
    (found,) = records(tmp_path / "a.jsonl", '{\n{\n{"text": "one"}')

    assert [warning[:6] for warning in found.warnings] == ["Line 1", "Line 2"]


def test_many_bad_lines_are_counted(tmp_path: Path) -> None:
    (found,) = records(tmp_path / "a.jsonl", '{"text": "one"}\n' + "{\n" * 1_000)

    assert len(found.warnings) == MAX_WARNINGS + 1
    assert found.warnings[-1] == f"{1_000 - MAX_WARNINGS} more records were left out."


@pytest.mark.parametrize("content", ["{\n{", '{"text": ""}', "\n\n"])
def test_a_file_without_any_record_is_rejected(tmp_path: Path, content: str) -> None:
    with pytest.raises(FileRejectedError):
        records(tmp_path / "a.jsonl", content)


def test_a_repeated_identity_stays_unique(tmp_path: Path) -> None:
    found = records(tmp_path / "a.jsonl", '{"id": 1, "text": "a"}\n' * 3)

    assert [document.record for document in found] == ["1", "1#2", "1#3"]


def test_a_large_file_is_never_in_memory_at_once(tmp_path: Path) -> None:
    entry = write(tmp_path / "a.jsonl", (json.dumps({"text": "x" * 10_000}) + "\n") * 2_000)

    tracemalloc.start()
    count = sum(1 for _ in parse_records(entry, "jsonl", ParseLimits()))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()

    assert count == 2_000
    assert peak < entry.size / 4


def test_json_is_a_list_of_records_or_an_envelope_around_one(tmp_path: Path) -> None:
    items = '[{"name": "a"}, {"name": "b"}]'

    for content in (items, f'{{"count": 2, "items": {items}}}'):
        assert [d.title for d in records(tmp_path / "a.json", content)] == ["a", "b"]


def test_an_envelope_restricts_its_records(tmp_path: Path) -> None:
    items = '[{"name": "a"}, {"name": "b", "access": "user:bo"}]'

    found = records(tmp_path / "a.json", f'{{"access": ["hr", "user:ada"], "items": {items}}}')

    assert [document.access for document in found] == [["group:hr", "user:ada"], []]


def test_any_other_json_is_one_document(tmp_path: Path) -> None:
    (found,) = records(tmp_path / "pump_settings.json", '{"speed": 3, "on": true, "x": [[1], [2]]}')

    assert (found.title, found.record) == ("pump settings", "")
    assert found.sections[0].text == "speed: 3\non: true\nx.1: 1\nx.2: 2"


@pytest.mark.parametrize(
    ("content", "cause"),
    [
        ("{", "no JSON"),
        ("[" * 200_000, "nested too deeply"),
        ('{"access": {"a": 1}, "items": [{"name": "a"}]}', "`access` cannot be understood"),
    ],
)
def test_json_that_cannot_be_read_is_rejected(tmp_path: Path, content: str, cause: str) -> None:
    with pytest.raises(FileRejectedError, match=cause):
        records(tmp_path / "a.json", content)


def test_deep_nesting_in_one_line_costs_that_line(tmp_path: Path) -> None:
    (found,) = records(tmp_path / "a.jsonl", "[" * 100_000 + '\n{"text": "one"}')

    assert "Line 1: left out" in found.warnings[0]


def test_lone_surrogates_and_nul_in_escapes_never_come_out(tmp_path: Path) -> None:
    (found,) = records(
        tmp_path / "a.jsonl", r'{"title": "a\ud800", "id": "\ud800", "text": "\u0000"}'
    )

    for text in (found.title, found.record, found.sections[0].text):
        text.encode()
        assert "\x00" not in text


def test_csv_rows_become_documents_by_their_column_names(tmp_path: Path) -> None:
    content = 'name,price,note\nseal,12,"two\nlines"\npump,300,\n,,\n'

    found = records(tmp_path / "a.csv", content)

    assert [document.title for document in found] == ["seal", "pump"]
    assert found[0].sections[0].text == "price: 12\nnote: two\nlines"
    assert found[0].record == "#2"


def test_semicolons_tabs_and_unnamed_columns_are_understood(tmp_path: Path) -> None:
    semicolons = records(tmp_path / "a.csv", "\ufeffname;price;\nseal;12,5;x\n")
    tabs = records(tmp_path / "a.tsv", "name\tname\nseal\tring\n")

    assert semicolons[0].sections[0].text == "price: 12,5\ncolumn 3: x"
    assert tabs[0].sections[0].text == "name 2: ring"


def test_a_malformed_csv_row_is_named_and_the_others_go_on(tmp_path: Path) -> None:
    content = 'name,price\nseal,12\npump,1,2,3\n"bad"x,3\nmotor,7\n'

    found = records(tmp_path / "a.csv", content)

    assert [document.title for document in found] == ["seal", "motor"]
    named = [warning for document in found for warning in document.warnings]
    assert [warning[:7] for warning in named] == ["Line 3:", "Line 4:"]


def test_a_row_that_lacks_its_permissions_is_left_out(tmp_path: Path) -> None:
    content = "name,access\nopen,staff\nshort\nblank,\nnobody,[]\n"

    found = records(tmp_path / "a.csv", content)

    assert [(d.title, d.access) for d in found] == [("open", ["group:staff"]), ("nobody", [])]


def test_permissions_that_are_given_twice_are_refused(tmp_path: Path) -> None:
    with pytest.raises(FileRejectedError, match="called `access`"):
        records(tmp_path / "a.csv", "name,access,Access\na,hr,staff\n")
    with pytest.raises(FileRejectedError, match="given twice"):
        records(tmp_path / "a.jsonl", '{"name": "a", "access": "hr", "Access": "staff"}')


def test_a_sidecar_and_a_record_restrict_together(tmp_path: Path) -> None:
    write(tmp_path / "a.jsonl", '{"name": "a", "access": ["hr", "it"]}')
    entry = entry_for(tmp_path / "a.jsonl", access=["group:hr"])

    (found,) = parse_records(entry, "jsonl", ParseLimits())

    assert found.access == ["group:hr"]


@pytest.mark.parametrize(
    ("limits", "limit"),
    [
        (ParseLimits(max_records=2), "max_records"),
        (ParseLimits(max_characters=10), "max_characters"),
    ],
)
def test_limits_are_named(tmp_path: Path, limits: ParseLimits, limit: str) -> None:
    with pytest.raises(LimitExceededError, match=limit):
        records(tmp_path / "a.jsonl", '{"name": "a", "x": 1}\n' * 3, limits)
