"""Reading what is printed: a screen in memory, plain or as on a terminal."""

import io
from collections.abc import Callable

from headwater.cli.screen import Screen


def printed(show: Callable[[Screen], object], *, terminal: bool = False, width: int = 200) -> str:
    """What `show` prints, with the codes of a terminal if it is one."""
    stream = io.StringIO()
    show(
        Screen(
            file=stream,
            markup=False,
            emoji=False,
            highlight=False,
            width=width,
            force_terminal=terminal,
            color_system="standard" if terminal else None,
        )
    )
    return stream.getvalue()
