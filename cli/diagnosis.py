"""All checks of the doctor, in the order in which one would mend things."""

from collections.abc import Iterator, Sequence
from itertools import groupby
from pathlib import Path

from ..domain.errors import HeadwaterError
from .base import Base, configured
from .check import Check, Level
from .doctor_models import chat_checks, model_checks
from .doctor_sources import source_checks
from .doctor_system import device_check, system_checks
from .running import run
from .screen import one_line, stdout, styled

_STYLES: dict[Level, str] = {"ok": "green", "warning": "yellow", "error": "bold red"}


def diagnose(kb: Path | None) -> list[Check]:
    """Make all checks that can be made; a fault in one area does not hide the others."""
    checks = [*system_checks(), *model_checks()]
    try:
        base = configured(kb)
    except HeadwaterError as exc:
        return [*checks, Check("configuration", "error", exc.message, exc.fix)]
    return [*checks, *_configured(base)]


def _configured(base: Base) -> Iterator[Check]:
    config = base.config
    names = ", ".join(base.sources)
    yield Check("configuration", "ok", f"{config.name}: {len(base.sources)} source(s): {names}.")
    yield device_check(config.models.device)
    yield from chat_checks(config.models.chat)
    yield from run(source_checks(base))


def print_checks(checks: Sequence[Check]) -> None:
    """Print the findings by area, then how many there were of each kind."""
    screen = stdout()
    for area, group in groupby(checks, key=lambda check: check.area):
        screen.print(styled(area, "bold"))
        for check in group:
            line = styled(f"  {check.level:<8}", _STYLES[check.level])
            screen.print(line.append(one_line(check.text), style=""), soft_wrap=True)
            if check.level != "ok" and check.fix:
                screen.print(styled(f"           {one_line(check.fix)}", "dim"), soft_wrap=True)
    counts = [(sum(c.level == level for c in checks), level) for level in _STYLES]
    screen.print(styled(", ".join(f"{count} {level}" for count, level in counts)))
