"""The arrows between the folders, read from the source: nothing has to be importable for it."""

import ast
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
DOMAIN = sorted((ROOT / "domain").glob("*.py"))
NODES = sorted((ROOT / "nodes").glob("*.py"))
ALLOWED = {*sys.stdlib_module_names, "pydantic", "typing_extensions"}


def imports(file: Path) -> list[tuple[int, str]]:
    """Every import of a file as (number of dots, module)."""
    found = []
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found += [(0, alias.name) for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            found.append((node.level, node.module or ""))
    return found


@pytest.mark.parametrize("file", DOMAIN, ids=lambda f: f.name)
def test_the_domain_imports_the_standard_library_pydantic_and_itself(file: Path) -> None:
    for dots, module in imports(file):
        assert dots == 1 or (dots == 0 and module.split(".")[0] in ALLOWED), module


@pytest.mark.parametrize("file", NODES, ids=lambda f: f.name)
def test_a_step_imports_the_domain_and_no_other_step(file: Path) -> None:
    for dots, module in imports(file):
        inside = dots == 2 and module.split(".")[0] == "domain"
        assert inside or (dots == 0 and module.split(".")[0] in ALLOWED), module


@pytest.mark.parametrize("file", [*DOMAIN, *NODES], ids=lambda f: f"{f.parent.name}/{f.name}")
def test_values_and_steps_know_no_clock_no_chance_and_no_network(file: Path) -> None:
    outside = {"time", "random", "uuid", "secrets", "socket", "urllib", "http", "os", "pathlib"}

    assert not {module.split(".")[0] for dots, module in imports(file) if dots == 0} & outside
