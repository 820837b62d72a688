"""Token counting with the vocabulary that ships inside an installed package."""

import re
from typing import Protocol

from ..domain.ports import TokenCounter

ENCODING = "o200k_base"
"""Budgets are stated in tokens of this vocabulary; another one would change what fits."""

_SURROGATE = re.compile("[\ud800-\udfff]")


class _Tokenizer(Protocol):
    def encode_ordinary(self, text: str) -> list[int]: ...


class O200kCounter:
    """Counts tokens of the o200k vocabulary exactly, without a network.

    Names of special tokens count as plain text; lone surrogates as `well_formed` replaces them.
    """

    def __init__(self, tokenizer: _Tokenizer) -> None:
        self._tokenizer = tokenizer

    @property
    def name(self) -> str:
        return ENCODING

    def __call__(self, text: str) -> int:
        return len(self._tokenizer.encode_ordinary(well_formed(text)))


def token_counter() -> TokenCounter:
    """Open the counter that budgets are stated in; loads its vocabulary, a fraction of a second."""
    from quicktok import get_encoding  # type: ignore[import-untyped]  # ships no types

    return O200kCounter(get_encoding(ENCODING))


def well_formed(text: str) -> str:
    """Replace every lone surrogate, which no tokenizer can encode, by U+FFFD.

    A high and a low surrogate that stand together become the character they mean.
    """
    if not _SURROGATE.search(text):
        return text
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
