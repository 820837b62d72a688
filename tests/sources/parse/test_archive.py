import io
import zipfile

import pytest

from headwater.domain.errors import FileRejectedError, LimitExceededError
from headwater.sources.parse.archive import check_archive
from headwater.sources.parse.limits import ParseLimits
from tests.sources.hostile_files import COMPOUND_FILE, bomb_docx, docx

LIMITS = ParseLimits()


def test_an_honest_file_passes() -> None:
    check_archive("a.docx", docx(("Normal", "text")), LIMITS)


def test_a_bomb_is_refused_by_its_growth() -> None:
    with pytest.raises(LimitExceededError, match="max_archive_ratio") as caught:
        check_archive("a.docx", bomb_docx(5_000_000), LIMITS)

    assert caught.value.allowed == 200
    assert caught.value.used > 900


def test_a_bomb_is_refused_by_its_size() -> None:
    with pytest.raises(LimitExceededError, match="max_archive_bytes is 5,000,008"):
        check_archive("a.docx", bomb_docx(5_000_000), ParseLimits(max_archive_bytes=1_000_000))


@pytest.mark.parametrize(
    ("raw", "cause"),
    [
        (COMPOUND_FILE, "encrypted, or of an office format of before 2007"),
        (docx(("Normal", "text"))[:3_000], "broken or cut off"),
        (b"no archive", "broken or cut off"),
    ],
)
def test_what_is_no_readable_office_file_is_rejected(raw: bytes, cause: str) -> None:
    with pytest.raises(FileRejectedError, match=cause):
        check_archive("a.docx", raw, LIMITS)


def test_an_encrypted_member_is_rejected() -> None:
    raw = bytearray(docx(("Normal", "text")))
    raw[raw.index(b"PK\x01\x02") + 8] |= 1

    with pytest.raises(FileRejectedError, match="encrypted"):
        check_archive("a.docx", bytes(raw), LIMITS)


def test_an_absurd_number_of_parts_is_refused() -> None:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for number in range(20_001):
            archive.writestr(str(number), b"")

    with pytest.raises(FileRejectedError, match="20,001 parts"):
        check_archive("a.docx", out.getvalue(), LIMITS)
