"""Which fields of a record are its title, its keywords and its content."""

from collections.abc import Collection
from dataclasses import dataclass
from difflib import get_close_matches

_CLOSE = 0.8
"""Likeness from which a field is taken for a misspelt one, such as `titel` for `title`."""


@dataclass(frozen=True, slots=True)
class FieldRules:
    """Names of fields, first choice first; compared without regard to case.

    The first field of `title` that has a value is the title. All of `keywords` are the keywords,
    all of `content` the text, in that order. What is left empty is found by usual names, and the
    text then has every field.
    """

    title: tuple[str, ...] = ()
    keywords: tuple[str, ...] = ()
    content: tuple[str, ...] = ()

    def unmet(self, present: Collection[str]) -> list[str]:
        """Say which names lead nowhere in a file whose records have the fields `present`.

        A name that is missing where another of its list is there is an alternative, unless a field
        is spelt nearly like it. `present` is in lower case.
        """
        lists = {"title": self.title, "keywords": self.keywords, "content": self.content}
        return [
            f"`fields.{role}` names {name!r}, which no record has{_hint(name, names, present)}."
            for role, names in lists.items()
            for name in names
            if name.lower() not in present
            and (_none_of(names, present) or _near(name, names, present))
        ]


def _none_of(names: Collection[str], present: Collection[str]) -> bool:
    return not any(name.lower() in present for name in names)


def _near(name: str, names: Collection[str], present: Collection[str]) -> str | None:
    """Give a field that is spelt like `name` and not named itself."""
    named = {other.lower() for other in names}
    others = sorted(set(present) - named)
    return next(iter(get_close_matches(name.lower(), others, n=1, cutoff=_CLOSE)), None)


def _hint(name: str, names: Collection[str], present: Collection[str]) -> str:
    near = _near(name, names, present)
    if near:
        return f"; there is {near!r}"
    return f" (they have {', '.join(sorted(present)[:10])})" if present else ""
