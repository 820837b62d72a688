"""One whole run, kept as a golden file and read in review."""

import json
from pathlib import Path

from tests.graph.record import recorded

GOLDEN = Path(__file__).parents[1] / "golden" / "run.json"


async def test_the_run_is_the_golden_one() -> None:
    """Renew on purpose: `python -m tests.graph.record > tests/golden/run.json`."""
    assert json.loads(await recorded()) == json.loads(GOLDEN.read_text("utf-8"))


async def test_a_run_is_repeated_byte_for_byte() -> None:
    assert await recorded() == await recorded()


def test_the_golden_run_takes_two_rounds_and_accounts_for_every_candidate() -> None:
    run = json.loads(GOLDEN.read_text("utf-8"))

    assert (run["rounds"], run["status"]) == (2, "ok")
    assert len(run["fates"]["rows"]) == run["fates"]["found"]
    assert run["fates"]["found"] == run["fates"]["kept"] + sum(run["fates"]["cut"].values())
