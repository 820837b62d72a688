"""Typed values as plain data, and plain data as one JSON object on stdout."""

import json
import sys
from typing import TypeVar

import click
from pydantic import TypeAdapter

T = TypeVar("T")


def plain(kind: type[T], value: T) -> object:
    """Turn a value of the type `kind` into lists, dicts, strings and numbers."""
    return TypeAdapter(kind).dump_python(value, mode="json")


def print_json(data: object) -> None:
    """Print exactly one JSON object. Where stdout is not UTF-8, other characters are escaped."""
    utf8 = (sys.stdout.encoding or "").lower().replace("-", "") == "utf8"
    click.echo(json.dumps(data, indent=2, ensure_ascii=not utf8, allow_nan=False))
