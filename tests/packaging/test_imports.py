"""What an import costs."""

import subprocess
import sys

import pytest

HEAVY = ("torch", "chromadb", "transformers", "onnxruntime", "langgraph", "whoosh", "numpy")


def _loaded_after(statement: str) -> set[str]:
    code = f"import sys\n{statement}\nprint(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False, timeout=60
    )
    assert done.returncode == 0, done.stderr
    return {name.split(".")[0] for name in done.stdout.split()}


def test_importing_the_package_loads_nothing_heavy() -> None:
    assert _loaded_after("import headwater").isdisjoint(HEAVY)


def test_the_help_page_loads_nothing_heavy() -> None:
    statement = "from headwater.cli.main import cli\ncli(['--help'], standalone_mode=False)"
    loaded = _loaded_after(statement)

    assert loaded.isdisjoint([*HEAVY, "pydantic", "rich", "langchain_core"])


@pytest.mark.parametrize("folder", ["domain.state", "nodes.plan", "nodes.answer", "graph"])
def test_steps_and_values_load_no_model_and_no_index(folder: str) -> None:
    loaded = _loaded_after(f"import headwater.{folder}")

    assert loaded.isdisjoint({"torch", "chromadb", "transformers", "onnxruntime", "whoosh"})


def test_the_knowledge_base_loads_no_model_until_it_is_asked() -> None:
    loaded = _loaded_after("from headwater import KnowledgeBase")

    assert loaded.isdisjoint({"torch", "chromadb", "transformers", "onnxruntime"})


def test_an_unknown_public_name_is_an_attribute_error() -> None:
    import headwater

    with pytest.raises(AttributeError, match="Knowlegde"):
        headwater.Knowlegde  # noqa: B018


def test_public_names_resolve() -> None:
    import headwater
    import headwater.graph

    assert headwater.KnowledgeBase is headwater.graph.KnowledgeBase
    assert headwater.Result.__name__ == "Result"
    assert all(getattr(headwater.graph, name) for name in headwater.graph.__all__)
