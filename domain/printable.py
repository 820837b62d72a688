"""Text that every later step can store, print and send."""

_LONE = {code: "\ufffd" for code in range(0xD800, 0xE000)}
_CONTROL = {code: " " for code in range(0x20) if chr(code) not in "\t\n\r"}
_TABLE = {**_LONE, **_CONTROL}


def printable(text: str) -> str:
    """Replace lone surrogates, which UTF-8 cannot hold, and control characters such as NUL."""
    return text.translate(_TABLE)
