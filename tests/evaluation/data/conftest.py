"""What the tests of evaluation data share."""

from pathlib import Path

import pytest

from tests.evaluation.data.corpora import write_data


@pytest.fixture
def small(tmp_path: Path) -> Path:
    """A folder of small evaluation data, a test's own."""
    return write_data(tmp_path / "data")
