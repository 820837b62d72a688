"""The object that a chat model meant, out of a tool call or out of prose."""

import json
from collections.abc import Iterator
from typing import Generic

from pydantic import BaseModel, ValidationError

from ..domain.ports import Model

_TRIES = 50
"""Opening braces at which an object is looked for; a longer reply is not what was asked for."""


class Reading(Generic[Model]):
    """What was found in a reply: a valid object, or what is wrong with the best candidate."""

    def __init__(self, value: Model | None, problem: str = "") -> None:
        self.value = value
        self.problem = problem


def read_object(text: str, schema: type[Model]) -> Reading[Model]:
    """Find the first JSON object in `text` that is a valid `schema`, in fences or in prose."""
    problem = "The reply holds no JSON object."
    for candidate in _objects(text):
        reading = read_value(candidate, schema)
        if reading.value is not None:
            return reading
        problem = reading.problem
    return Reading(None, problem)


def read_value(candidate: object, schema: type[Model]) -> Reading[Model]:
    """Validate one candidate."""
    try:
        return Reading(schema.model_validate(candidate))
    except ValidationError as error:
        wrong = [
            f"{'.'.join(map(str, one['loc'])) or 'the object'}: {one['msg']}"
            for one in error.errors(include_url=False, include_input=False)
        ]
        return Reading(None, "; ".join(wrong[:5]))


def described(schema: type[BaseModel]) -> str:
    """Say in one line what object is wanted."""
    return (
        "Reply with one JSON object and nothing else. Its JSON schema: "
        f"{json.dumps(schema.model_json_schema(), ensure_ascii=False)}"
    )


def _objects(text: str) -> Iterator[object]:
    decoder = json.JSONDecoder()
    start = text.find("{")
    for _ in range(_TRIES):
        if start < 0:
            return
        try:
            found, end = decoder.raw_decode(text, start)
        except (ValueError, RecursionError):  # prose in braces, or nested without end
            end = start + 1
        else:
            yield found
        start = text.find("{", end)
