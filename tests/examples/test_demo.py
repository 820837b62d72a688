"""The demo, on a copy of the example, so that nothing is written into the repository."""

import shutil
from pathlib import Path

import pytest

from examples import demo

FOLDER = Path(demo.FILE).parent


async def test_it_answers_at_three_efforts_and_then_finds_nothing_changed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    shutil.copytree(FOLDER, tmp_path / "kb", ignore=shutil.ignore_patterns(".headwater"))

    await demo.main(tmp_path / "kb" / "headwater.toml")
    first = capsys.readouterr().out
    await demo.main(tmp_path / "kb" / "headwater.toml")
    again = capsys.readouterr().out

    for effort, fact in (("minimal", "32 m"), ("low", "ISO VG 68"), ("medium", "40021")):
        part = first[first.index(f"{effort}: ") :]
        assert f"Steps · effort {effort}" in part
        assert fact in part
    assert "15 added" in first
    assert again.count("nothing changed") == 5
