"""The drawing of the compiled graph, kept as a golden file."""

from pathlib import Path

from headwater.domain.activity import STEPS
from tests.graph.worlds import World

GOLDEN = Path(__file__).parents[1] / "golden" / "graph.mmd"


def test_the_drawing_is_the_golden_one() -> None:
    """Renew on purpose: `python -m tests.graph.draw > tests/golden/graph.mmd`."""
    assert World().compiled().get_graph().draw_mermaid() == GOLDEN.read_text("utf-8")


def test_the_graph_has_the_eight_steps_and_nothing_else() -> None:
    nodes = set(World().compiled().get_graph().nodes)

    assert nodes == {"__start__", *STEPS, "__end__"}


def test_conditional_edges_are_those_that_decide() -> None:
    edges = World().compiled().get_graph().edges

    assert {(edge.source, edge.target) for edge in edges if edge.conditional} == {
        ("__start__", "plan"),
        ("__start__", "federate"),
        ("rank", "classify"),
        ("rank", "merge"),
        ("classify", "reflect"),
        ("classify", "merge"),
        ("reflect", "federate"),
        ("reflect", "merge"),
        ("merge", "answer"),
        ("merge", "__end__"),
    }
    assert {(edge.source, edge.target) for edge in edges if not edge.conditional} == {
        ("plan", "select"),
        ("select", "federate"),
        ("federate", "rank"),
        ("answer", "__end__"),
    }


def test_every_step_carries_its_sentence() -> None:
    nodes = World().compiled().get_graph().to_json(with_schemas=False)["nodes"]
    summaries = {node["id"]: (node.get("metadata") or {}).get("summary") for node in nodes}

    assert all(summaries[step] for step in STEPS)
