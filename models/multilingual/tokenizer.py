"""The tokenizer of XLM-R, rebuilt from the pieces in the container.

Origin: Kudo 2018, "Subword regularization", arXiv:1804.10959 (unigram pieces); Conneau et al.
2020, arXiv:1911.02116 (this vocabulary).
"""

from pathlib import Path
from typing import TYPE_CHECKING

from ..cache import cache_folder, write_once
from .container import Container, Vocabulary

if TYPE_CHECKING:
    from tokenizers import Tokenizer

FILE = "tokenizer.json"

_TILDE, _GUARD = "\uff5e", "\uf8fe"
"""NFKC makes the fullwidth tilde a plain one; the original, trained on Chinese text, keeps it. It
waits as a character for private use meanwhile."""

_MARK = "<(?=(?:/?s|pad|unk|mask)>)"
"""A text that spells one of the model's marks must not become it: passages are data."""


def rebuilt(vocabulary: Vocabulary) -> "Tokenizer":
    """Build the tokenizer; texts come out as start + pieces + end, pairs with two ends between."""
    from tokenizers import Regex, Tokenizer, models, normalizers, pre_tokenizers, processors

    pieces = list(zip(vocabulary.pieces, vocabulary.scores, strict=True))
    tokenizer = Tokenizer(models.Unigram(pieces, vocabulary.unknown))
    tokenizer.normalizer = normalizers.Sequence(
        [
            normalizers.Nmt(),
            normalizers.Replace(_TILDE, _GUARD),
            normalizers.NFKC(),
            normalizers.Replace(_GUARD, _TILDE),
            normalizers.Replace(Regex(_MARK), "< "),
        ]
    )
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [pre_tokenizers.WhitespaceSplit(), pre_tokenizers.Metaspace(prepend_scheme="always")]
    )
    start, end = (vocabulary.pieces[i] for i in (vocabulary.start, vocabulary.end))
    tokenizer.post_processor = processors.TemplateProcessing(
        single=f"{start} $A {end}",
        pair=f"{start} $A {end} {end} $B {end}",
        special_tokens=[(start, vocabulary.start), (end, vocabulary.end)],
    )
    return tokenizer


def tokenizer_folder(container: Container, folder: Path) -> Path:
    """Give `folder` with the tokenizer's file in it; made the first time, in a few seconds.

    Raises:
        ConfigurationError: it cannot be written to.
    """
    if not (folder / FILE).is_file():
        cache_folder(folder)
        tokenizer = rebuilt(container.vocabulary)
        write_once(folder / FILE, lambda fresh: tokenizer.save(str(fresh), pretty=False))
    return folder
