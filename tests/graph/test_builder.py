"""What a graph may be built from."""

import pytest

from headwater.domain.errors import ConfigurationError
from tests.fakes import FakeSource
from tests.graph.worlds import World


@pytest.mark.parametrize(
    ("names", "message"),
    [
        ([], "has 0"),
        ([f"s{n}" for n in range(11)], "has 11"),
        (["a", "b", "a"], "Two sources are called 'a'"),
        (["a:b"], "'a:b' holds a colon"),
    ],
)
def test_sources_that_cannot_be_told_apart_or_are_too_many_are_refused(
    names: list[str], message: str
) -> None:
    with pytest.raises(ConfigurationError, match=message):
        World(sources=[FakeSource(name) for name in names]).compiled()
