"""Questions that could not be run, and why."""

from collections import Counter

from ..cells import count, word
from ..collection import Collection, label
from ..document import Column, Section, Table

_LONGEST = 200
"""Characters of an error that are shown."""


def failures(collected: Collection) -> Section | None:
    """Return the chapter, or `None` where every question was run."""
    groups = collected.groups()
    found = Counter(
        (label(asked.group, groups), asked.setting, asked.error[:_LONGEST])
        for asked in collected.asked
        if asked.error is not None
    )
    if not found:
        return None
    table = Table(
        name="failed-runs",
        title="By error",
        columns=[
            Column("Questions of"),
            Column("Setting"),
            Column("Error", prose=True),
            Column("Questions", numeric=True),
        ],
        rows=[
            [word(name), word(setting), word(error), count(number)]
            for (name, setting, error), number in found.most_common()
        ],
    )
    return Section(
        name="failures", title="Failed runs", text=[*failure_notice(collected)], parts=[table]
    )


def failure_notice(collected: Collection) -> list[str]:
    """Return the sentence that a reader must know before any number; none where all went well."""
    failed = sum(asked.error is not None for asked in collected.asked)
    if not failed:
        return []
    return [f"{failed:,} of {len(collected.asked):,} runs failed; no measure counts them."]
