"""What the tests of evaluation data share."""

import resource
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

import pytest

from tests.evaluation.data.corpora import write_data


@pytest.fixture
def small(tmp_path: Path) -> Path:
    """A folder of small evaluation data, a test's own."""
    return write_data(tmp_path / "data")


@pytest.fixture
def full_disk() -> Callable[[int], AbstractContextManager[None]]:
    """Let no file grow beyond a number of bytes for a while: writing more fails."""

    @contextmanager
    def limited(size: int) -> Iterator[None]:
        soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
        try:
            yield
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))

    return limited
