"""Small evaluation data for tests: two data sets and a knowledge base over them."""

import gzip
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

PLANETS = [
    ("mars", "Mars", "Mars has two moons, Phobos and Deimos.", "inner"),
    ("venus", "Venus", "Venus turns backwards and has no moon at all.", "inner"),
    ("saturn", "Saturn", "Saturn has rings of ice; its largest moon is Titan.", "outer"),
]
STARS = [
    ("sirius", "Sirius", "Sirius is the brightest star of the night sky.", ""),
    ("polaris", "", "Polaris stands close to the north celestial pole.", ""),
]


def write_rows(path: Path, rows: Sequence[dict[str, Any]]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    text = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    if path.suffix == ".gz":
        path.write_bytes(gzip.compress(text.encode()))
    else:
        path.write_text(text, encoding="utf-8")
    return path


def passages(rows: Sequence[tuple[str, str, str, str]]) -> list[dict[str, Any]]:
    return [
        {"id": i, "title": title, "text": text, "source": source, "lang": "en"}
        for i, title, text, source in rows
    ]


def write_data(folder: Path) -> Path:
    """Write the data sets `planets` and `stars` and the knowledge base `sky`."""
    write_rows(folder / "planets" / "corpus.jsonl.gz", passages(PLANETS))
    write_rows(folder / "stars" / "corpus.jsonl", passages(STARS))
    write_rows(
        folder / "planets" / "queries.dev.jsonl.gz",
        [
            {"id": "p1", "question": "Which moons has Mars?", "lang": "en"},
            {"id": "p2", "question": "Which planets have moons?", "lang": "en"},
            {"id": "p3", "question": "Welcher Planet hat Ringe?", "lang": "de"},
        ],
    )
    write_rows(
        folder / "planets" / "qrels.dev.jsonl",
        [
            {"qid": "p1", "docid": "mars", "spans": [[20, 38]]},
            {"qid": "p2", "docid": "mars", "grade": 3},
            {"qid": "p2", "docid": "saturn", "grade": 3},
            {"qid": "p3", "docid": "saturn"},
        ],
    )
    write_rows(
        folder / "stars" / "queries.dev.jsonl",
        [{"id": "s1", "question": "Which star is brightest?", "scenario": "It is night."}],
    )
    write_rows(folder / "stars" / "qrels.dev.jsonl", [{"qid": "s1", "docid": "sirius"}])
    write_base(folder, "sky", sky())
    return folder


def sky() -> dict[str, Any]:
    return {
        "name": "sky",
        "about": "What is in the sky",
        "sources": [
            {
                "name": "inner_planets",
                "description": "Planets inside the belt",
                "from": [{"set": "planets", "sources": ["inner"]}],
                "opaque": "ks_01",
                "passages": 2,
            },
            {
                "name": "far_away",
                "description": "Outer planets and stars",
                "from": [{"set": "planets", "sources": ["outer"]}, {"set": "stars"}],
            },
        ],
        "queries": [{"set": "planets", "langs": ["en"]}, {"set": "stars"}],
        "redaction": {
            "about": "Without the inner planets",
            "remove": ["inner_planets"],
            "add": [
                {"name": "web", "from": [{"set": "planets", "sources": ["inner"]}], "kind": "web"}
            ],
        },
    }


def write_base(folder: Path, name: str, content: dict[str, Any]) -> Path:
    path = folder / "knowledge_bases" / f"{name}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(content), encoding="utf-8")
    return path
