"""Glob patterns over the paths of a source: `*`, `?`, `[abc]` and `**`."""

import re
from collections.abc import Sequence
from functools import lru_cache

_TOKEN = re.compile(r"\*\*/|\*\*|\*|\?|\[[^\]/]+\]|[^*?\[]+|\[")


def matches(path: str, patterns: Sequence[str]) -> bool:
    """Tell whether `path`, relative and with forward slashes, fits one of `patterns`.

    `**` crosses folders, the other wildcards do not. A pattern without a slash is compared with
    the last part of the path, so `*.md` fits at any depth; a slash at its end is ignored.
    """
    return any(_compiled(pattern).fullmatch(_subject(path, pattern)) for pattern in patterns)


def _subject(path: str, pattern: str) -> str:
    return path if "/" in pattern.strip("/") else path.rpartition("/")[2]


@lru_cache(maxsize=1_024)
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile("".join(map(_translate, _TOKEN.findall(pattern.strip("/")))), re.DOTALL)


def _translate(token: str) -> str:
    wildcards = {"**/": "(?:.*/)?", "**": ".*", "*": "[^/]*", "?": "[^/]"}
    if token in wildcards:
        return wildcards[token]
    if len(token) > 2 and token[0] == "[":
        inside = token[1:-1].replace("\\", r"\\").replace("[", r"\[")
        return f"[^{inside[1:]}]" if inside[0] == "!" else f"[{inside}]".replace("[^", r"[\^")
    return re.escape(token)
