import json
from dataclasses import fields
from pathlib import Path

from pydantic import TypeAdapter

from headwater.cli.plain import plain
from headwater.cli.result_schema import result_schema
from headwater.domain.result import Result
from tests.cli.sample import RESULT

FILE = Path(__file__).parents[2] / "docs" / "result.schema.json"


def test_the_schema_in_the_docs_is_that_of_the_result() -> None:
    assert FILE.read_text("utf-8") == result_schema()


def test_every_field_is_required_or_has_a_default() -> None:
    schema = json.loads(result_schema())

    assert set(schema["properties"]) == {field.name for field in fields(Result)}
    assert set(schema["required"]) == set(schema["properties"])


def test_every_type_is_described_in_words() -> None:
    undescribed = [
        name
        for name, shape in json.loads(result_schema())["$defs"].items()
        if "description" not in shape
    ]

    assert undescribed == []


def test_a_result_survives_the_way_through_json() -> None:
    text = json.dumps(plain(Result, RESULT))

    assert TypeAdapter(Result).validate_json(text) == RESULT
