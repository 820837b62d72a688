"""Keep the splits apart: learn on train, choose on dev, report on test."""

from typing import Literal

from ..errors import DataError
from .rows import SPLITS

Purpose = Literal["fit", "tune", "report"]
"""`fit`: coefficients or weights come from it; `tune`: a setting or threshold is chosen by it;
`report`: it is only measured."""

_ALLOWED: dict[Purpose, tuple[str, ...]] = {
    "fit": ("train",),
    "tune": ("train", "dev"),
    "report": ("train", "dev", "test"),
}


def allow(split: str, purpose: Purpose) -> None:
    """Let a split be used for a purpose, or refuse.

    Raises:
        DataError: the purpose would make later figures worthless, or there is no such split.
    """
    if split not in SPLITS:
        raise DataError(f"There is no split {split!r}.", fix=f"The splits are {', '.join(SPLITS)}.")
    if split not in _ALLOWED[purpose]:
        may = " or ".join(_ALLOWED[purpose])
        raise DataError(
            f"The split {split!r} must not be used to {purpose}: what is measured on it afterwards "
            "would mean nothing.",
            fix=f"Use {may}.",
        )
