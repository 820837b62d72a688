"""Texts to token ids, with the tokenizer file that a model's folder holds."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from ..domain.errors import ConfigurationError
from .tokens import well_formed

if TYPE_CHECKING:
    from tokenizers import Tokenizer

_CHARS_PER_TOKEN = 64
"""A text is cut at this many characters a token before it is tokenised: a book costs no more
than its beginning. Only text with longer tokens (none of the usual vocabularies has them) or
long runs of blanks would notice."""


class TextTokenizer:
    """Gives the token ids of texts, cut at a number of tokens; safe in many threads at once."""

    def __init__(self, tokenizer: "Tokenizer", max_tokens: int) -> None:
        tokenizer.no_padding()
        tokenizer.enable_truncation(max_tokens)
        self._tokenizer = tokenizer
        self._max_tokens = max_tokens

    def __call__(self, texts: Sequence[str]) -> list[list[int]]:
        """Give the ids of each text, in order, with the marks the model wants at both ends."""
        cut = [beginning(text, self._max_tokens) for text in texts]
        return [encoding.ids for encoding in self._tokenizer.encode_batch_fast(cut)]


def open_tokenizer(folder: Path, max_tokens: int) -> TextTokenizer:
    """Open `tokenizer.json` in `folder`. Raises ConfigurationError."""
    return TextTokenizer(load_tokenizer(folder), max_tokens)


def load_tokenizer(folder: Path) -> "Tokenizer":
    """Load `tokenizer.json` in `folder`; it may cut or pad by itself. Raises ConfigurationError."""
    from tokenizers import Tokenizer

    path = folder / "tokenizer.json"
    try:
        return Tokenizer.from_file(str(path))
    except Exception as error:  # the library raises bare Exception for every broken file
        raise ConfigurationError(
            f"The tokenizer {str(path)!r} cannot be read: {error}.", fix="Get the model again."
        ) from error


def beginning(text: str, tokens: int) -> str:
    """Give the beginning of a text that is worth tokenising for its first so many tokens."""
    return well_formed(text[: tokens * _CHARS_PER_TOKEN])
