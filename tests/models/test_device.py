import contextlib
import subprocess
import sys

import pytest
import torch

from headwater.domain.errors import ConfigurationError
from headwater.models.device import chosen_device, devices


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


@pytest.mark.parametrize("wanted", ["quantum", "", "cuda:0"])
def test_an_unknown_device_is_refused(wanted: str) -> None:
    with pytest.raises(ConfigurationError, match="is not known"):
        chosen_device(wanted)


def test_a_device_that_is_not_there_is_refused() -> None:
    there = torch.cuda.is_available()

    with contextlib.nullcontext() if there else pytest.raises(ConfigurationError, match="not the"):
        chosen_device("cuda")


def test_the_processor_is_there_and_the_last_choice() -> None:
    assert devices()[-1] == "cpu"
