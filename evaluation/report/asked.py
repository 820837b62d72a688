"""One question under one setting, in the few numbers that a report is made of."""

from dataclasses import dataclass, field

MAIN_BUDGET = 5_000
"""The budget of plots that show one: what minimal and low effort are given by default."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """A row of the results without its lists; a `None` was not scored."""

    base: str
    dataset: str
    setting: str
    qid: str
    effort: str
    lang: str
    type: str
    hops: int
    sources_needed: int
    """Distinct sources that hold its gold passages; 0 where there are none."""
    support: dict[int, float | None]
    """Budget in tokens -> full support, 0 or 1."""
    values: dict[str, float | None] = field(default_factory=dict)
    """The other measures that settings are compared by, by name."""
    exit_classifier: float | None = None
    exit_reflection: float | None = None
    exit_lacked: float | None = None
    content_tokens: int = 0
    """Of all of the content, whatever the budget."""
    sub_queries: int = 0
    rounds: int = 0
    elapsed_ms: float | None = None
    step_ms: dict[str, float] = field(default_factory=dict)
    tokens: dict[str, tuple[int, int]] = field(default_factory=dict)
    """Model -> tokens in, tokens out."""
    calls: dict[str, int] = field(default_factory=dict)
    error: str | None = None
    """Why there is no run."""

    @property
    def group(self) -> tuple[str, str]:
        """The set of questions it belongs to: base and data set."""
        return self.base, self.dataset

    @property
    def main_support(self) -> float | None:
        """Full support at the main budget."""
        return self.support.get(MAIN_BUDGET)
