"""Which device a model runs on."""

import importlib.util
import platform
import sys
from pathlib import Path

from ..domain.errors import ConfigurationError

DEVICES = ("auto", "cpu", "cuda", "mps")


def chosen_device(wanted: str) -> str:
    """Give `wanted`, or for `auto` the fastest there is.

    Torch is loaded only where there may be an accelerator.

    Raises:
        ConfigurationError: the device is unknown, or is not there.
    """
    if wanted not in DEVICES:
        raise ConfigurationError(
            f"The device {wanted!r} is not known.", fix=f"Known are {', '.join(DEVICES)}."
        )
    if wanted == "cpu" or (wanted == "auto" and not _may_accelerate()):
        return "cpu"
    there = devices()
    if wanted == "auto":
        return there[0]
    if wanted not in there:
        raise ConfigurationError(
            f"The device {wanted!r} is not there.", fix="Set `device` to 'auto' or 'cpu'."
        )
    return wanted


def devices() -> list[str]:
    """Give the devices of this machine, the fastest first; the processor alone without torch."""
    if "torch" not in sys.modules and importlib.util.find_spec("torch") is None:
        return ["cpu"]
    import torch

    there = {"cuda": torch.cuda.is_available(), "mps": torch.backends.mps.is_available()}
    return [*(name for name, available in there.items() if available), "cpu"]


def _may_accelerate() -> bool:
    """Look for traces of an accelerator, so that torch is only asked where one may be."""
    if sys.platform == "darwin":
        return platform.machine() == "arm64"
    if sys.platform == "win32":
        return True  # nothing cheap to look at
    return any(Path(trace).exists() for trace in ("/dev/nvidiactl", "/dev/kfd", "/dev/dxg"))
