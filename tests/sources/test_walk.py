import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from headwater.domain.errors import ConfigurationError
from headwater.sources.document import FileEntry, FileProblem
from headwater.sources.walk import WalkRules, walk


def fill(root: Path, *paths: str) -> Path:
    for path in paths:
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text("text")
    return root


def entries(root: Path, rules: WalkRules | None = None) -> dict[str, FileEntry]:
    found = walk(root, rules or WalkRules())
    return {item.path: item for item in found if isinstance(item, FileEntry)}


def problems(root: Path, rules: WalkRules | None = None) -> dict[str, str]:
    found = walk(root, rules or WalkRules())
    return {item.path: item.cause for item in found if isinstance(item, FileProblem)}


def test_files_of_known_kinds_come_sorted_with_their_facts(tmp_path: Path) -> None:
    fill(tmp_path, "b.md", "a/z.PDF", "a/y.txt", "c.exe", "noending")

    found = entries(tmp_path)

    assert list(found) == ["a/y.txt", "a/z.PDF", "b.md"]
    assert found["b.md"].size == 4
    assert found["b.md"].modified_ns == (tmp_path / "b.md").stat().st_mtime_ns
    assert found["b.md"].access is None
    assert problems(tmp_path) == {}


def test_an_empty_folder_gives_nothing(tmp_path: Path) -> None:
    assert list(walk(tmp_path, WalkRules())) == []


def test_a_missing_folder_is_an_error_that_says_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="Correct `path`"):
        list(walk(tmp_path / "none", WalkRules()))


def test_hidden_and_foreign_folders_are_left_out(tmp_path: Path) -> None:
    fill(tmp_path, ".git/a.md", ".headwater/b.md", "node_modules/c.md", ".d.md", "x/.y/e.md")

    assert list(walk(tmp_path, WalkRules())) == []


def test_patterns_choose_files_and_folders(tmp_path: Path) -> None:
    fill(tmp_path, "a.md", "a.txt", "drafts/b.md", "deep/drafts/c.md", "deep/d.md")

    rules = WalkRules(include=["*.md"], exclude=["drafts"])

    assert list(entries(tmp_path, rules)) == ["a.md", "deep/d.md"]


def test_a_folder_thousands_deep_is_walked(tmp_path: Path) -> None:
    here = tmp_path
    for _ in range(150):
        here = here / "d"
    fill(here, "a.md")

    assert [path[-6:] for path in entries(tmp_path)] == ["d/a.md"]


def test_a_link_that_leaves_the_folder_is_a_problem(tmp_path: Path) -> None:
    outside = fill(tmp_path / "outside", "secret.md", "sub/more.md")
    root = fill(tmp_path / "root", "a.md")
    (root / "link.md").symlink_to(outside / "secret.md")
    (root / "folder").symlink_to(outside)
    (root / "gone.md").symlink_to(root / "nowhere.md")

    assert list(entries(root)) == ["a.md"]
    found = problems(root)
    assert "leaves the folder" in found["link.md"]
    assert "leaves the folder" in found["folder"]
    assert "leads nowhere" in found["gone.md"]


def test_links_inside_the_folder_neither_loop_nor_repeat_nor_bypass_permissions(
    tmp_path: Path,
) -> None:
    fill(tmp_path, "hr/pay.md", "open/a.md")
    (tmp_path / "hr/.access").write_text("hr")
    (tmp_path / "open/loop").symlink_to(tmp_path)
    (tmp_path / "open/pay.md").symlink_to(tmp_path / "hr/pay.md")

    found = entries(tmp_path)

    assert list(found) == ["hr/pay.md", "open/a.md"]
    assert found["hr/pay.md"].access == ["group:hr"]


def test_a_sidecar_covers_its_folder_and_the_nearest_wins(tmp_path: Path) -> None:
    fill(tmp_path, "a.md", "hr/b.md", "hr/deep/c.md", "hr/deep/d.md", "hr/open/e.md")
    (tmp_path / "hr/.access").write_text("hr")
    (tmp_path / "hr/deep/d.md.access").write_text("user:ada")
    (tmp_path / "hr/open/.access").write_text("staff")

    access = {path: entry.access for path, entry in entries(tmp_path).items()}

    assert access == {
        "a.md": None,
        "hr/b.md": ["group:hr"],
        "hr/deep/c.md": ["group:hr"],
        "hr/deep/d.md": ["user:ada"],
        "hr/open/e.md": ["group:staff"],
    }


@pytest.mark.parametrize("content", [b"role:boss", b"\xff\xff", b"x" * 100_000])
def test_what_a_broken_sidecar_covers_is_left_out(tmp_path: Path, content: bytes) -> None:
    fill(tmp_path, "a.md", "hr/b.md", "hr/deep/c.md", "one.md", "two.md")
    (tmp_path / "hr/.access").write_bytes(content)
    (tmp_path / "one.md.access").write_bytes(content)

    assert list(entries(tmp_path)) == ["a.md", "two.md"]
    assert list(problems(tmp_path)) == ["hr/.access", "one.md"]


def test_a_sidecar_that_is_a_link_or_a_folder_is_broken(tmp_path: Path) -> None:
    fill(tmp_path, "a/x.md", "b/y.md", "everyone")
    (tmp_path / "a/.access").symlink_to(tmp_path / "everyone")
    (tmp_path / "b/.access").mkdir()

    assert entries(tmp_path) == {}
    assert set(problems(tmp_path)) == {"a/.access", "b/.access"}


def test_a_sidecar_without_its_file_is_named(tmp_path: Path) -> None:
    fill(tmp_path, "pay.md", "pai.md.access")

    assert "no such file" in problems(tmp_path)["pai.md.access"]


def test_a_file_above_the_limit_is_a_problem_that_names_the_limit(tmp_path: Path) -> None:
    fill(tmp_path, "a.md")

    found = problems(tmp_path, WalkRules(max_file_bytes=3))

    assert "max_file_bytes is 4, allowed are 3" in found["a.md"]


def test_after_the_most_files_one_problem_ends_the_walk(tmp_path: Path) -> None:
    fill(tmp_path, "a.md", "b.md", "c.md", "d.md")

    found = list(walk(tmp_path, WalkRules(max_files=2)))

    assert [item.path for item in found] == ["a.md", "b.md", "c.md"]
    assert isinstance(found[2], FileProblem)
    assert "max_files" in found[2].cause


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_a_pipe_with_the_name_of_a_document_is_not_opened(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "a.md")

    assert problems(tmp_path) == {"a.md": "It is no regular file."}


@pytest.mark.skipif(sys.platform != "linux", reason="needs file names that are no text")
def test_a_name_that_is_no_text_is_a_problem_that_can_be_printed(tmp_path: Path) -> None:
    Path(os.fsdecode(os.fsencode(tmp_path) + b"/b\xff.md")).write_text("text")

    assert "not valid text" in problems(tmp_path)["b\\udcff.md"]


AS_NOBODY = """
import os, pathlib, sys
from headwater.sources.walk import WalkRules, walk
if os.geteuid() == 0:
    os.setgid(65534)
    os.setuid(65534)
for found in walk(pathlib.Path(sys.argv[1]), WalkRules()):
    print(type(found).__name__, found.path)
"""
"""Root may read everything, so the walk runs in a process that gives that up first."""


@pytest.mark.skipif(not hasattr(os, "geteuid"), reason="needs POSIX permissions")
def test_what_may_not_be_read_is_a_problem_and_the_rest_goes_on() -> None:
    with tempfile.TemporaryDirectory() as name:
        root = fill(Path(name), "a.md", "locked/b.md", "sealed/c.md", "sealed/.access")
        root.chmod(0o755)
        (root / "locked").chmod(0)
        (root / "sealed/.access").chmod(0)
        done = subprocess.run(
            [sys.executable, "-c", AS_NOBODY, name], capture_output=True, text=True, check=False
        )
        (root / "locked").chmod(0o755)

    assert done.stdout.splitlines() == [
        "FileEntry a.md",
        "FileProblem locked",
        "FileProblem sealed/.access",
    ], done.stderr
