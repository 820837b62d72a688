import json
from collections.abc import Mapping
from pathlib import Path

import pytest

from headwater.domain.errors import FileRejectedError
from headwater.sources.document import Document
from headwater.sources.parse.field_rules import FieldRules
from headwater.sources.parse.limits import ParseLimits
from headwater.sources.parse.records import parse_records
from tests.sources.hostile_files import write

TICKET = {
    "name": "T-17",
    "Caption": "Leak at the seal",
    "body": "Water drips.\nDaily.",
    "cause": "A worn seal.",
    "tags": ["pump", "leak"],
    "unit": "X-200",
    "site": {"city": "Lyon"},
    "internal": "do not show",
}


def documents(tmp_path: Path, rules: FieldRules, *rows: Mapping[str, object]) -> list[Document]:
    content = "\n".join(json.dumps(row) for row in rows or (TICKET,))
    return list(parse_records(write(tmp_path / "a.jsonl", content), "jsonl", ParseLimits(), rules))


def test_without_rules_a_record_is_read_as_ever(tmp_path: Path) -> None:
    (found,) = documents(tmp_path, FieldRules())

    assert (found.title, found.sections[0].heading) == ("T-17", [])
    assert "Caption: Leak at the seal" in found.sections[0].text
    assert found.warnings == []


def test_the_first_field_with_a_value_is_the_title(tmp_path: Path) -> None:
    rules = FieldRules(title=("heading", "caption", "name"))
    rows = [TICKET, {**TICKET, "Caption": ""}, {**TICKET, "heading": "Seals"}]

    assert [d.title for d in documents(tmp_path, rules, *rows)] == [
        "Leak at the seal",
        "T-17",
        "Seals",
    ]


def test_keywords_stand_in_the_place_of_a_heading_and_leave_the_text(tmp_path: Path) -> None:
    (found,) = documents(tmp_path, FieldRules(keywords=("unit", "tags")))

    assert found.sections[0].heading == ["X-200, pump, leak"]
    assert "tags" not in found.sections[0].text
    assert "internal: do not show" in found.sections[0].text


def test_keywords_that_are_too_long_for_a_heading_stay_in_the_text(tmp_path: Path) -> None:
    tags = [f"tag{n}" for n in range(200)]

    (found,) = documents(tmp_path, FieldRules(keywords=("tags",)), {"text": "a", "tags": tags})

    assert len(found.sections[0].heading[0]) <= 300
    assert "tag199" in found.sections[0].text


def test_the_text_is_the_content_fields_in_their_order_and_nothing_else(tmp_path: Path) -> None:
    (found,) = documents(tmp_path, FieldRules(content=("cause", "Body", "site")))

    assert found.sections[0].text == "A worn seal.\n\nWater drips.\nDaily.\n\nsite.city: Lyon"
    assert (found.title, found.record) == ("T-17", "#1")


def test_who_may_read_is_never_content_nor_a_keyword(tmp_path: Path) -> None:
    rules = FieldRules(keywords=("access",), content=("body", "access"))

    (found,) = documents(tmp_path, rules, {**TICKET, "access": ["hr"]})

    assert found.access == ["group:hr"]
    assert found.sections[0].text == "Water drips.\nDaily."
    assert found.sections[0].heading == []


def test_a_record_without_content_still_has_its_title(tmp_path: Path) -> None:
    rules = FieldRules(content=("body",))

    found = documents(tmp_path, rules, TICKET, {"name": "Only a name"})

    assert found[1].sections[0].text == "Only a name"


def test_a_list_of_names_none_of_which_exists_is_told_with_the_fields_there_are(
    tmp_path: Path,
) -> None:
    (found,) = documents(tmp_path, FieldRules(keywords=("subjects", "rubric")))

    assert len(found.warnings) == 2
    assert "`fields.keywords` names 'subjects', which no record has" in found.warnings[0]
    assert "(they have body, caption, cause" in found.warnings[0]


def test_a_misspelt_name_is_told_even_beside_one_that_exists(tmp_path: Path) -> None:
    (found,) = documents(tmp_path, FieldRules(content=("body", "cuase")))

    assert found.warnings == [
        "`fields.content` names 'cuase', which no record has; there is 'cause'."
    ]


def test_an_alternative_that_this_file_lacks_is_no_mistake(tmp_path: Path) -> None:
    (found,) = documents(tmp_path, FieldRules(title=("caption", "headline")))

    assert found.warnings == []


def test_a_file_whose_records_have_none_of_the_content_is_refused_with_the_reason(
    tmp_path: Path,
) -> None:
    rules = FieldRules(title=("subject",), content=("bodies",))

    with pytest.raises(FileRejectedError, match=r"`fields\.content` names 'bodies'"):
        documents(tmp_path, rules)
