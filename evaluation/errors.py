"""What goes wrong with evaluation data and results.

HeadwaterError
└── DataError    a folder, file, row or choice of data cannot be used
"""

from ..domain.errors import HeadwaterError


class DataError(HeadwaterError):
    """A folder, a file, a row or a choice of evaluation data cannot be used.

    `place` is the file, or `file:line`, where there is one; it opens the message.
    """

    def __init__(self, message: str, *, place: str = "", fix: str = "") -> None:
        super().__init__(f"{place}: {message}" if place else message, fix=fix)
        self.place = place
