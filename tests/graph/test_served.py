"""The graph as a server asks for it, run by run."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from headwater.domain.errors import ConfigurationError
from headwater.graph import served


@pytest.fixture(autouse=True)
async def opened_afresh() -> AsyncIterator[None]:
    served._knowledge_base.cache_clear()
    yield
    if served._knowledge_base.cache_info().currsize:
        await served._knowledge_base().close()
    served._knowledge_base.cache_clear()


async def test_runs_that_come_at_once_share_one_graph(
    field_service: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HEADWATER_KB", str(field_service))

    first, *others = await asyncio.gather(*(served.graph() for _ in range(4)))
    state = await first.ainvoke({"question": "weight of the X-200 pump", "effort": "low"})

    assert all(other is first for other in others)
    assert first.checkpointer is None
    assert "46 kg" in state["answer"]


async def test_a_file_that_is_not_there_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HEADWATER_KB", str(tmp_path / "none.toml"))

    with pytest.raises(ConfigurationError, match=r"none\.toml"):
        await served.graph()
