"""Files that try to break ingestion, and honest ones of the same kinds, made at test time."""

import io
import struct
import zipfile
from collections.abc import Sequence
from pathlib import Path

from headwater.sources.document import FileEntry


def entry_for(path: Path, *, access: list[str] | None = None) -> FileEntry:
    """The entry that walking the folder of `path` would give."""
    facts = path.lstat()
    return FileEntry(path.name, path, facts.st_size, facts.st_mtime_ns, access)


def write(path: Path, content: str | bytes) -> FileEntry:
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return entry_for(path)


def pdf(
    pages: Sequence[str],
    *,
    outline: Sequence[tuple[str, int]] = (),
    title: str = "",
    extra: str = "",
) -> bytes:
    """A PDF of one text line per line of each page; `outline` is (title, page from 0)."""
    fonts, first = 3, 4 + 2 * len(pages)
    last = first + len(outline)
    kids = " ".join(f"{4 + 2 * i} 0 R" for i in range(len(pages)))
    objects = [
        f"<</Type/Catalog/Pages 2 0 R/Outlines {last} 0 R>>",
        f"<</Type/Pages/Kids[{kids}]/Count {len(pages)}>>",
        "<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
    ]
    for number, text in enumerate(pages):
        lines = " T* ".join(f"({line}) Tj" for line in text.split("\n"))
        stream = f"BT /F1 12 Tf 14 TL 20 270 Td {lines} ET" if text else ""
        objects += [
            f"<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 300]/Contents {5 + 2 * number} 0 R"
            f"/Resources<</Font<</F1 {fonts} 0 R>>>>>>",
            f"<</Length {len(stream)}>>stream\n{stream}\nendstream",
        ]
    for number, (name, page) in enumerate(outline):
        sibling = f"/Next {first + number + 1} 0 R" if number + 1 < len(outline) else ""
        objects.append(
            f"<</Title({name})/Parent {last} 0 R/Dest[{4 + 2 * page} 0 R/Fit]{sibling}>>"
        )
    ends = f"/First {first} 0 R/Last {last - 1} 0 R" if outline else ""
    objects += [f"<</Type/Outlines{ends}/Count {len(outline)}>>", f"<</Title({title})>>"]
    return _assemble(objects, f"/Info {last + 1} 0 R{extra}")


def encrypted_pdf() -> bytes:
    """A PDF with the standard security handler and a password nobody knows."""
    secret = "41" * 32
    handler = f"/Encrypt<</Filter/Standard/V 1/R 2/O<{secret}>/U<{secret}>/P -44>>"
    return pdf(["secret"], extra=f"{handler}/ID[<{'42' * 16}><{'42' * 16}>]")


def _assemble(objects: Sequence[str], trailer: str) -> bytes:
    out = io.BytesIO()
    out.write(b"%PDF-1.4\n")
    offsets = []
    for number, body in enumerate(objects, start=1):
        offsets.append(out.tell())
        out.write(f"{number} 0 obj{body}endobj\n".encode("latin-1"))
    start = out.tell()
    table = "".join(f"{offset:010} 00000 n \n" for offset in offsets)
    size = len(objects) + 1
    out.write(f"xref\n0 {size}\n0000000000 65535 f \n{table}".encode("ascii"))
    out.write(f"trailer<</Size {size}/Root 1 0 R{trailer}>>\nstartxref\n{start}\n%%EOF".encode())
    return out.getvalue()


def docx(*paragraphs: tuple[str, str]) -> bytes:
    """A Word file of (style, text) paragraphs, such as ("Heading 1", "Seals")."""
    import docx as python_docx

    document = python_docx.Document()
    document.core_properties.title = ""
    for style, text in paragraphs:
        document.add_paragraph(text, style=style)
    out = io.BytesIO()
    document.save(out)
    return out.getvalue()


def pptx(*slides: tuple[str, str, str]) -> bytes:
    """A deck of (title, body, speaker notes)."""
    import pptx as python_pptx

    deck = python_pptx.Presentation()
    deck.core_properties.title = ""
    for title, body, notes in slides:
        slide = deck.slides.add_slide(deck.slide_layouts[1])
        slide.shapes.title.text = title
        slide.placeholders[1].text = body
        slide.notes_slide.notes_text_frame.text = notes
    out = io.BytesIO()
    deck.save(out)
    return out.getvalue()


def xlsx(**sheets: Sequence[Sequence[object]]) -> bytes:
    """A workbook with one sheet per keyword."""
    import openpyxl  # type: ignore[import-untyped]  # ships no types

    book = openpyxl.Workbook()
    book.remove(book.active)
    for name, rows in sheets.items():
        sheet = book.create_sheet(name)
        for row in rows:
            sheet.append(list(row))
    out = io.BytesIO()
    book.save(out)
    return out.getvalue()


def bomb_docx(unpacked: int) -> bytes:
    """A Word file of a few kilobytes whose text unpacks to `unpacked` bytes of zeros."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        archive.writestr("[Content_Types].xml", "<Types/>")
        with archive.open("word/document.xml", "w", force_zip64=True) as member:
            for _ in range(unpacked // 1_000_000):
                member.write(bytes(1_000_000))
    return out.getvalue()


def lying_bomb_docx(unpacked: int) -> bytes:
    """The same, but its table of contents claims that the text is 1,000 bytes long."""
    honest = bytearray(bomb_docx(unpacked))
    name = b"word/document.xml"
    central = honest.rindex(b"PK\x01\x02", 0, honest.rindex(name))
    struct.pack_into("<I", honest, central + 24, 1_000)
    local = honest.rindex(b"PK\x03\x04", 0, honest.index(name) + 1)
    struct.pack_into("<I", honest, local + 22, 1_000)
    return bytes(honest)


COMPOUND_FILE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(2_000)
"""How a Word file with a password begins: an OLE compound file around the encrypted package."""
