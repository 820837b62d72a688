"""From bytes on disk to clean text."""

import codecs
import contextlib
import io
import os
import re
import unicodedata
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import BinaryIO, TextIO

from ...domain.errors import FileRejectedError
from ..document import FileEntry
from ..language import detect

_BLOCK = 1 << 20
_GUESS_BYTES = 262_144
"""The encoding is guessed from so much of a file; more is slower and hardly changes the guess."""
_BOMS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),  # before UTF-16, whose mark it begins with
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_DECLARED = re.compile(rb"(?:charset|encoding)\s*=\s*[\"']?([\w-]{2,40})")
_WESTERN = frozenset({"ca", "da", "de", "en", "es", "fi", "fr", "it", "nl", "no", "pt", "sv"})
_WESTERN_SHARE = 0.2
"""Most bytes above ASCII in such a text; Cyrillic and Chinese have far more."""
_UNWANTED = re.compile("[\x00\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class Encoding:
    """How the bytes of a file become text; `guessed` where nothing in the file says so."""

    name: str
    guessed: bool = False

    @property
    def warnings(self) -> list[str]:
        """Say that the text may be wrong in places."""
        note = f"The text is not UTF-8; it was read as {self.name}, by a guess."
        return [note] if self.guessed else []


@contextmanager
def open_binary(entry: FileEntry) -> Iterator[BinaryIO]:
    """Open the file that was walked, and no other that a link put in its place since.

    Raises:
        FileRejectedError: it is empty, it is gone, or it cannot be read.
    """
    flags = os.O_RDONLY | getattr(os, "O_BINARY", 0) | getattr(os, "O_NOFOLLOW", 0)
    try:
        with open(os.open(entry.location, flags), "rb") as file:
            if os.fstat(file.fileno()).st_size == 0:
                raise FileRejectedError(entry.path, "The file is empty (zero bytes).")
            yield file
    except OSError as exc:
        raise FileRejectedError(
            entry.path,
            f"The file cannot be read: {exc.strerror}.",
            fix="Check its permissions, then ingest again.",
        ) from exc


@contextmanager
def open_text(entry: FileEntry) -> Iterator[tuple[TextIO, Encoding]]:
    """Open a text file with the encoding it has, line ends kept as they are.

    Raises:
        FileRejectedError: as `open_binary`, or the file holds NUL bytes, so it is no text.
    """
    with open_binary(entry) as file:
        encoding = _encoding(entry.path, file)
        file.seek(0)
        errors = "strict" if encoding.name.startswith("utf") else "replace"
        with io.TextIOWrapper(file, encoding.name, errors, newline="") as text:
            try:
                yield text, encoding
            except UnicodeDecodeError as exc:
                raise FileRejectedError(
                    entry.path, f"The text breaks its own encoding, {encoding.name}: {exc}."
                ) from exc


def read_text(entry: FileEntry) -> tuple[str, Encoding]:
    """Read a whole text file, cleaned.

    Raises:
        FileRejectedError: as `open_text`.
    """
    with open_text(entry) as (file, encoding):
        return clean(file.read()), encoding


def clean(text: str) -> str:
    """Give `text` in Unicode's NFC, with plain line ends, and without NUL and lone surrogates.

    A syllable that is written in parts, as some systems do, is then the same as one that is not.
    """
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    return unicodedata.normalize("NFC", _UNWANTED.sub("\ufffd", text))


def _encoding(path: str, file: BinaryIO) -> Encoding:
    """Read the file once: its mark decides, else UTF-8 if all of it is, else a guess."""
    head = file.read(_GUESS_BYTES)
    for mark, name in _BOMS:
        if head.startswith(mark):
            return Encoding(name)
    decoder = codecs.getincrementaldecoder("utf-8")()
    block, utf8 = head, True
    while block:
        if b"\x00" in block:
            raise FileRejectedError(
                path, "The file holds NUL bytes: it is binary, or UTF-16 without its mark."
            )
        utf8 = utf8 and _decodes(decoder, block)
        block = file.read(_BLOCK)
    return Encoding("utf-8") if utf8 and _decodes(decoder, b"", final=True) else _guess(head)


def _decodes(decoder: codecs.IncrementalDecoder, block: bytes, *, final: bool = False) -> bool:
    try:
        decoder.decode(block, final)
    except UnicodeDecodeError:
        return False
    return True


def _guess(head: bytes) -> Encoding:
    """Take the encoding that the file declares, as HTML and XML do, else guess."""
    if declared := _DECLARED.search(head[:1_024]):
        with contextlib.suppress(LookupError):
            name = codecs.lookup(declared[1].decode("ascii")).name
            # Browsers read it so, since pages that declare Latin-1 are mostly Windows-1252.
            return Encoding("cp1252" if name == "iso8859-1" else name)
    if _looks_western(head):
        return Encoding("cp1252", guessed=True)
    from charset_normalizer import from_bytes  # loaded only for files that are not UTF-8

    best = from_bytes(head).best()
    return Encoding(best.encoding if best else "cp1252", guessed=True)


def _looks_western(head: bytes) -> bool:
    """Tell whether the text, read as Windows-1252, is in a language that is written with it.

    The guess below takes French and Spanish for Central European too often.
    """
    accented = sum(byte > 127 for byte in head)
    text = head.decode("cp1252", "replace")
    return accented < _WESTERN_SHARE * len(head) and detect(text) in _WESTERN
