import json
from pathlib import Path
from typing import Any

import pytest

from tests.cli.commands import error_of, headwater

CONFIG = 'name = "kb"\n' + "".join(
    f'[[sources]]\nname = "{name}"\npath = "{name}"\n' for name in ("boilers", "valves")
)


@pytest.fixture
def kb(tmp_path: Path) -> Path:
    for name in ("boilers", "valves"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "a.md").write_text(f"# {name}\n\nAll about {name}, in one page.\n")
        (tmp_path / name / "b.txt").write_text(f"More on {name}.\n")
    (tmp_path / "kb.toml").write_text(CONFIG)
    return tmp_path / "kb.toml"


def ingested(kb: Path, *more: str) -> dict[str, Any]:
    done = headwater("ingest", "--kb", kb, "--json", *more)
    assert done.exit_code == 0
    return json.loads(done.stdout)["sources"]  # type: ignore[no-any-return]


def counts(report: dict[str, Any]) -> list[int]:
    return [report[name] for name in ("added", "changed", "deleted", "unchanged")]


def test_what_changed_is_followed_and_the_rest_costs_nothing(kb: Path) -> None:
    assert counts(ingested(kb)["boilers"]) == [2, 0, 0, 0]
    (kb.parent / "boilers" / "a.md").write_text("# Boilers\n\nAnother text altogether.\n")
    (kb.parent / "boilers" / "b.txt").unlink()
    (kb.parent / "boilers" / "c.txt").write_text("A third file.\n")

    again = ingested(kb)

    assert counts(again["boilers"]) == [1, 1, 1, 0]
    assert counts(again["valves"]) == [0, 0, 0, 2]
    assert again["valves"]["embedded"] == 0


def test_only_the_named_source_is_touched(kb: Path) -> None:
    assert list(ingested(kb, "--source", "valves")) == ["valves"]
    assert counts(ingested(kb)["boilers"]) == [2, 0, 0, 0]


def test_a_rebuild_reads_everything_again(kb: Path) -> None:
    ingested(kb)

    assert counts(ingested(kb, "--rebuild")["boilers"]) == [2, 0, 0, 0]


def test_a_broken_file_is_listed_and_no_error(kb: Path) -> None:
    (kb.parent / "boilers" / "broken.pdf").write_bytes(b"%PDF-1.7 nothing")

    done = headwater("ingest", "--kb", kb)

    assert done.exit_code == 0
    assert "boilers: 2 added, 1 skipped" in done.stdout
    assert "\n  skipped broken.pdf: " in done.stdout


def test_an_unknown_source_names_the_nearest(kb: Path) -> None:
    message = error_of(headwater("ingest", "--kb", kb, "--source", "valve"))

    assert "There is no source 'valve'. Did you mean 'valves'?" in message


def test_a_summary_is_one_line_a_source(kb: Path) -> None:
    ingested(kb)

    lines = headwater("ingest", "--kb", kb).stdout.splitlines()

    assert [line.partition(" · ")[0] for line in lines] == [
        "boilers: nothing changed, 2 unchanged",
        "valves: nothing changed, 2 unchanged",
    ]
