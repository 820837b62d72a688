"""Print the golden run: two rounds at medium effort, as the JSON of its result."""

import asyncio
import json
import sys
from dataclasses import asdict

from tests.fakes import FakeClassifier
from tests.graph.worlds import World

QUESTION = "What does the firmware of the controller of the X-200 pump fix?"


async def recorded() -> str:
    _, result = await World(classifier=FakeClassifier(sufficient=0.1)).ask(QUESTION)
    return json.dumps(asdict(result), ensure_ascii=False, indent=1) + "\n"


if __name__ == "__main__":
    sys.stdout.write(asyncio.run(recorded()))
