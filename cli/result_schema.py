"""The JSON schema of a result, for `docs/result.schema.json`.

Run `python -m headwater.cli.result_schema > docs/result.schema.json`.
"""

import json

import click
from pydantic import TypeAdapter

from ..domain.result import Result


def result_schema() -> str:
    """Give the schema of what `headwater ask --json` prints, as JSON text with a final newline."""
    schema = TypeAdapter(Result).json_schema(mode="serialization")
    about = {"$schema": "https://json-schema.org/draft/2020-12/schema"}
    return json.dumps({**about, **schema}, indent=2, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    click.echo(result_schema(), nl=False)
