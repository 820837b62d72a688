import os
import unicodedata
from pathlib import Path

import pytest

from headwater.domain.errors import FileRejectedError
from headwater.sources.parse.reading import clean, open_binary, read_text
from tests.sources.hostile_files import entry_for, write

FRENCH = "Le joint déjà usé doit être remplacé : vérifiez la pièce après l'été. " * 20


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32"])
def test_a_text_says_its_encoding_by_its_mark_or_by_being_utf8(
    tmp_path: Path, encoding: str
) -> None:
    text, found = read_text(write(tmp_path / "a.txt", FRENCH.encode(encoding)))

    assert text == FRENCH
    assert found.warnings == []


@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        (FRENCH, "cp1252"),
        ("Größe der Tür für die Öffnung der Pumpe. " * 20, "latin-1"),
        ("El niño comió piñas mañana según su madre. " * 20, "cp1252"),
        ("Příliš žluťoučký kůň úpěl ďábelské ódy. " * 20, "cp1250"),
        ("Привет мир, насос течёт уже второй день. " * 20, "cp1251"),
        ("更换密封件之前请先关闭水泵。" * 20, "gb18030"),
    ],
)
def test_another_encoding_is_guessed_with_a_warning(
    tmp_path: Path, text: str, encoding: str
) -> None:
    found_text, found = read_text(write(tmp_path / "a.txt", text.encode(encoding)))

    assert found_text == text
    assert "by a guess" in found.warnings[0]


def test_a_declared_encoding_is_believed(tmp_path: Path) -> None:
    page = '<meta charset="iso-8859-1"><p>10 € déjà</p>'

    text, found = read_text(write(tmp_path / "a.html", page.encode("cp1252")))

    assert (text, found.warnings) == (page, [])


def test_utf8_that_breaks_after_megabytes_is_noticed(tmp_path: Path) -> None:
    _, found = read_text(write(tmp_path / "a.txt", b"good text " * 150_000 + b"caf\xe9"))

    assert found.guessed


def test_a_character_cut_off_at_the_end_is_noticed(tmp_path: Path) -> None:
    _, found = read_text(write(tmp_path / "a.txt", b"plain text, then half a sign \xe2\x82"))

    assert found.guessed


@pytest.mark.parametrize(
    ("content", "cause"),
    [
        (b"", "empty"),
        (b"text\x00more", "NUL bytes"),
        (b"text " * 400_000 + b"\x00", "NUL bytes"),
        (b"\xff\xfea\x00\x00\xd8", "breaks its own encoding"),
    ],
)
def test_what_is_no_text_is_rejected(tmp_path: Path, content: bytes, cause: str) -> None:
    with pytest.raises(FileRejectedError, match=cause):
        read_text(write(tmp_path / "a.txt", content))


def test_a_file_that_is_gone_is_rejected(tmp_path: Path) -> None:
    entry = write(tmp_path / "a.txt", "text")
    entry.location.unlink()

    with pytest.raises(FileRejectedError, match="cannot be read: No such file"):
        read_text(entry)


@pytest.mark.skipif(not hasattr(os, "O_NOFOLLOW"), reason="needs O_NOFOLLOW")
def test_a_link_put_in_the_place_of_a_file_is_not_followed(tmp_path: Path) -> None:
    write(tmp_path / "secret.txt", "secret")
    (tmp_path / "a.txt").symlink_to(tmp_path / "secret.txt")

    with pytest.raises(FileRejectedError), open_binary(entry_for(tmp_path / "a.txt")):
        pytest.fail("the link was followed")


def test_clean_text_has_plain_line_ends_and_can_be_encoded() -> None:
    assert clean("a\r\nb\rc\x00\ud800") == "a\nb\nc\ufffd\ufffd"


@pytest.mark.parametrize(
    "text", ["펌프의 씰을 교체합니다", "ポンプのシールを交換する", "pièce usée"]
)
def test_letters_in_parts_become_whole(tmp_path: Path, text: str) -> None:
    apart = unicodedata.normalize("NFD", text)
    assert apart != text

    assert read_text(write(tmp_path / "a.txt", apart.encode()))[0] == text
