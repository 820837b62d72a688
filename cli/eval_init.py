"""A folder to evaluate with: two documents, three questions about them, and what is gold."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

from ..domain.errors import ConfigurationError

_BASE = """\
# A knowledge base with questions. Put your documents in `documents/` or name your own folders here,
# and your questions in queries.jsonl; then: headwater eval effort --kb .
# README.md beside this file says what each field means.

name = "my-evaluation"
description = "Documents whose questions have known answers"
effort = "medium"  # minimal | low | medium | auto

[[sources]]
name = "garden_guides"
kind = "files"
path = "documents/guides"
description = "How to grow vegetables: sowing, watering, harvest"

[[sources]]
name = "customer_questions"
kind = "files"
path = "documents/questions.jsonl"
description = "What customers of the garden centre asked, and what they were told"
"""

_GUIDE = """\
# Growing tomatoes

Sow tomatoes indoors in March, six weeks before the last frost.

## Watering

Water tomatoes in the morning, at the root and never on the leaves: wet leaves catch blight.

## Harvest

Pick tomatoes when they are red all over. Below ten degrees they ripen better indoors.
"""

_RECORDS = [
    {
        "id": "c-17",
        "title": "Brown spots on tomato leaves",
        "text": "A customer saw brown spots on the leaves after a wet week. It was blight; "
        "she was told to remove the leaves and to burn them.",
    },
    {
        "id": "c-18",
        "title": "Opening hours in winter",
        "text": "From November to February the garden centre closes at five in the afternoon.",
    },
]

_QUERIES = [
    {
        "id": "q1",
        "question": "When does the garden centre close in December?",
        "answers": ["five in the afternoon", "5 pm"],
        "lang": "en",
        "type": "lookup",
        "hops": 1,
        "answerable": True,
        "split": "test",
    },
    {
        "id": "q2",
        "question": "How should tomatoes be watered, and what was a customer with blight told?",
        "answers": [],
        "lang": "en",
        "type": "two sources",
        "hops": 2,
        "answerable": True,
        "split": "test",
    },
    {
        "id": "q3",
        "question": "What does a bag of compost cost?",
        "lang": "en",
        "type": "lookup",
        "answerable": False,
        "split": "dev",
    },
]

_QRELS = [
    {"qid": "q1", "docid": "questions.jsonl#c-18", "grade": 4},
    {"qid": "q2", "docid": "tomatoes.md", "grade": 3},
    {"qid": "q2", "docid": "questions.jsonl#c-17", "grade": 3},
]

_README = """\
# Evaluation data

`headwater eval NAME --kb .` asks the knowledge base in `headwater.toml` the questions in
`queries.jsonl` and measures what it finds by `qrels.jsonl`. One JSON object a line; only the
fields marked * are needed.

## queries.jsonl

| field | meaning |
| --- | --- |
| `id` * | name of the question, once in the file |
| `question` * | what is asked |
| `split` | `train`, `dev` or `test`; choose settings on dev, report on test. Without it, all |
| `answers` | right answers, any of them; short ones, as they would stand in a text |
| `answerable` | whether the documents answer it: true, false, "partial" |
| `lang`, `type`, `hops` | language, kind of question, passages needed: the report groups by them |
| `history` | earlier turns: [{"role": "user", "text": "..."}, {"role": "assistant", ...}] |
| `scenario` | the asker's situation, asked together with the question |

## qrels.jsonl

Which documents a question needs. Rows of grade 4 each answer it alone, and one of them is enough;
rows of grade 3 are parts, and all of them are needed. Without this file, retrieval is not measured
and answers still are.

| field | meaning |
| --- | --- |
| `qid` * | id of a question |
| `docid` * | the document's reference, as `headwater ask` prints it: `path` within its source, or \
`path#record`, or its URL |
| `source` | name of the source; needed only where two sources hold the same `docid` |
| `grade` | 4 answers alone (default), 3 is a part, needed beside others |
| `spans` | [[start, end], ...] of the supporting text, in characters of the document |
"""


def write_template(folder: Path, *, force: bool) -> list[Path]:
    """Write the template and give the paths of its files; the folder is made if need be.

    Raises:
        ConfigurationError: one of the files is there already and not `force`; then none is
            written. Or the folder cannot be written.
    """
    files = {folder / name: text for name, text in _files().items()}
    there = [path for path in files if path.exists()]
    if there and not force:
        raise ConfigurationError(
            f"{str(there[0])!r} is there already.", fix="Use --force to write over it."
        )
    try:
        for path, text in files.items():
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8", newline="\n")
    except OSError as exc:
        raise ConfigurationError(f"{str(folder)!r} cannot be written: {exc.strerror}.") from exc
    return list(files)


def _files() -> dict[str, str]:
    return {
        "headwater.toml": _BASE,
        "queries.jsonl": _lines(_QUERIES),
        "qrels.jsonl": _lines(_QRELS),
        "README.md": _README,
        "documents/guides/tomatoes.md": _GUIDE,
        "documents/questions.jsonl": _lines(_RECORDS),
    }


def _lines(rows: Sequence[Mapping[str, object]]) -> str:
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
