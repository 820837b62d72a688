"""Text that every later step can store, print and send."""

_LONE = {code: "\ufffd" for code in range(0xD800, 0xE000)}
_CONTROL = {code: " " for code in (*range(0x20), *range(0x7F, 0xA0)) if chr(code) not in "\t\n\r"}
_TABLE = {**_LONE, **_CONTROL}


def printable(text: str) -> str:
    """Replace lone surrogates, which UTF-8 cannot hold, and control characters.

    NUL ends a text in many a store; escape characters steer a terminal.
    """
    return text.translate(_TABLE)
