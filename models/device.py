"""Which device a model runs on."""

import platform
import sys
from pathlib import Path


def chosen_device(wanted: str) -> str:
    """Give the device for `wanted`; torch is loaded only where there may be an accelerator.

    Raises:
        ConfigurationError: the device is unknown, or is not there.
    """
    if wanted == "cpu" or (wanted == "auto" and not _may_accelerate()):
        return "cpu"
    from .embedder_torch import choose_device

    return choose_device(wanted)


def _may_accelerate() -> bool:
    """Look for traces of an accelerator, so that torch is only asked where one may be."""
    if sys.platform == "darwin":
        return platform.machine() == "arm64"
    if sys.platform == "win32":
        return True  # nothing cheap to look at
    return any(Path(trace).exists() for trace in ("/dev/nvidiactl", "/dev/kfd", "/dev/dxg"))
