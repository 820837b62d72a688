import subprocess
import sys

import pytest

from headwater.domain.errors import ConfigurationError
from headwater.models.device import chosen_device


def test_the_processor_needs_no_torch() -> None:
    code = (
        "import sys; from headwater.models.device import chosen_device\n"
        "print(chosen_device('cpu'), 'torch' in sys.modules)"
    )

    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert shown.stdout.split() == ["cpu", "False"]


def test_auto_gives_a_device_that_is_there() -> None:
    chosen = chosen_device("auto")

    assert chosen_device(chosen) == chosen


@pytest.mark.parametrize("wanted", ["quantum", ""])
def test_an_unknown_device_is_refused(wanted: str) -> None:
    with pytest.raises(ConfigurationError, match="is not there"):
        chosen_device(wanted)
