"""The doctor on this machine: versions and device."""

import platform
from importlib import metadata

from ..models.device import devices
from .check import Check

_PINNED = {"whoosh": "2.7.4"}
"""Indexes rely on the insides of exactly this release."""

_SHOWN = ("chromadb", "langgraph", "torch", "onnxruntime")


def system_checks() -> list[Check]:
    """Check Python and the packages that indexes and models stand on."""
    python = Check("system", "ok", f"Python {platform.python_version()} on {platform.system()}.")
    pinned = [package_check(name, wanted) for name, wanted in _PINNED.items()]
    return [python, *pinned, *map(package_check, _SHOWN)]


def package_check(name: str, wanted: str | None = None) -> Check:
    """Tell whether a package is installed, in the version that is wanted where one is."""
    try:
        found = metadata.version(name)
    except metadata.PackageNotFoundError:
        fix = "Install headwater again: pip install --force-reinstall headwater"
        return Check("system", "error", f"The package {name} is not installed.", fix)
    if wanted not in (None, found):
        text = f"{name} {found} is installed, {wanted} is needed."
        return Check("system", "error", text, f"pip install {name}=={wanted}")
    return Check("system", "ok", f"{name} {found}.")


def device_check(wanted: str) -> Check:
    """Tell whether the device that the configuration asks for is there."""
    found = devices()
    if wanted != "auto" and wanted not in found:
        fix = 'Set `device = "auto"`, or install a build of torch for it.'
        return Check("device", "error", f"{wanted} is not available here.", fix)
    chosen = found[0] if wanted == "auto" else wanted
    return Check("device", "ok", f"{chosen} is used, available: {', '.join(found)}.")
