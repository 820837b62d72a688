"""What a parser takes out of a file that is one document."""

from dataclasses import dataclass, field

from ..document import Section


@dataclass(frozen=True, slots=True)
class Extracted:
    """The content of one file, before its title, language and permissions are settled."""

    sections: list[Section]
    title: str = ""
    """Empty where the file does not say."""
    url: str | None = None
    language: str | None = None
    access: list[str] | None = None
    metadata: dict[str, str] = field(default_factory=dict)
    warnings: list[str] = field(default_factory=list)
