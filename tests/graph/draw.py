"""Print the drawing of the graph."""

import sys

from tests.graph.worlds import World

if __name__ == "__main__":
    sys.stdout.write(World().compiled().get_graph().draw_mermaid())
