"""The graph in LangGraph's development server."""

import os
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from headwater.domain.activity import STEPS

ROOT = Path(__file__).parents[2]

pytest.importorskip("langgraph_api", reason="the extra `dev` (langgraph dev) is not installed")


@pytest.fixture(scope="module")
def server(ingested: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Run `langgraph dev` on the repository's `langgraph.json` and a copy of the example."""
    folder = tmp_path_factory.mktemp("served")
    shutil.copytree(ingested, folder / "field-service")
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = shutil.which("langgraph", path=Path(sys.executable).parent)
    assert command is not None
    environment = {
        **os.environ,
        "HEADWATER_KB": str(folder / "field-service" / "headwater.toml"),
        "LANGGRAPH_NO_VERSION_CHECK": "true",
        "LANGSMITH_TRACING": "false",
    }
    log = (folder / "server.log").open("wb")
    process = subprocess.Popen(
        [command, "dev", "--no-browser", "--no-reload", "--port", str(port)],
        cwd=ROOT,
        env=environment,
        stdout=log,
        stderr=subprocess.STDOUT,
    )
    try:
        yield _up(f"http://127.0.0.1:{port}", process, folder / "server.log")
    finally:
        process.terminate()
        process.wait(timeout=30)
        log.close()


def _up(address: str, process: subprocess.Popen[bytes], log: Path) -> str:
    for _ in range(240):
        if process.poll() is not None:
            break
        try:
            if httpx.get(f"{address}/ok", timeout=1).is_success:
                return address
        except httpx.HTTPError:
            pass
        time.sleep(0.25)
    raise AssertionError(log.read_text("utf-8", errors="replace")[-3_000:])


def test_it_shows_the_eight_steps(server: str) -> None:
    (assistant,) = _post(server, "/assistants/search", {})
    drawing = httpx.get(f"{server}/assistants/{assistant['assistant_id']}/graph").json()

    assert {node["id"] for node in drawing["nodes"]} == {"__start__", *STEPS, "__end__"}


@pytest.mark.parametrize("effort", ["minimal", "medium"])
def test_it_answers_a_question_without_blocking_the_server(server: str, effort: str) -> None:
    request = {"question": "Which seal does the X-200 pump need?", "effort": effort}
    state = _post(server, "/runs/wait", {"assistant_id": "headwater", "input": request})

    assert state["references"], state
    assert state["status"] == "ok"


def _post(server: str, path: str, body: dict[str, Any]) -> Any:
    reply = httpx.post(server + path, json=body, timeout=120)
    assert reply.is_success, reply.text
    return reply.json()
