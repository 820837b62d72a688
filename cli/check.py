"""What the doctor says about one thing."""

from dataclasses import dataclass
from typing import Literal

Level = Literal["ok", "warning", "error"]


@dataclass(frozen=True, slots=True)
class Check:
    """One finding. `fix` says what to do about a warning or an error."""

    area: str
    level: Level
    text: str
    fix: str = ""
