"""Write the example's PDF, DOCX and XLSX files: python -m examples.make_office_files.

They are written by hand, byte for byte the same each time, so that they need no library and
can be compared with what is committed.
"""

import zipfile
from collections.abc import Sequence
from io import BytesIO
from pathlib import Path
from xml.sax.saxutils import escape

FOLDER = Path(__file__).parent / "field-service"

X_300_PAGES = (
    (
        "X-300 transfer pump, installation and repair",
        "Edition of May 2024",
        "",
        "The X-300 is the largest pump of the X series.",
        "Weight: 71 kg. Maximum flow: 42 m³/h. Maximum head: 46 m.",
        "Motor: 5.5 kW, 400 V. Inlet: DN 80.",
        "Shaft seal: S-21. Controller: C-7.",
        "Sound pressure at 1 m: 74 dB(A).",
        "",
        "Installation",
        "Set the pump on a level base and leave 450 mm free behind the motor.",
        "Tighten the flange bolts crosswise to 85 N·m.",
    ),
    (
        "Bearings and shaft seal",
        "",
        "The bearing housing takes 0.6 litres of oil ISO VG 68.",
        "Fill to the mark with the pump standing still; too much oil heats the bearing.",
        "",
        "Pull the impeller with tool W-4 before the seal S-21 is replaced.",
        "Align motor and pump to 0.05 mm and check the coupling insert CI-30.",
        "Vibration at the bearing above 7 mm/s is a reason to stop the pump.",
    ),
)

X_300_OUTLINE = (
    ("X-300 transfer pump", 0),
    ("Installation", 0),
    ("Bearings and shaft seal", 1),
)
"""(heading, page from 0)."""

LIFTING = (
    ("Heading1", "Lifting and rigging"),
    ("", "This rule applies to all work on customers' sites."),
    ("Heading2", "By hand"),
    (
        "",
        "One person lifts up to 25 kg. Loads above 25 kg and up to 40 kg are lifted by two.",
    ),
    ("Heading2", "With a hoist"),
    (
        "",
        "Loads above 40 kg are lifted with a hoist or a tripod. Slings carry a tag with their load "
        "and the month of the next check; a sling without a tag is cut up.",
    ),
    ("Heading2", "Below ground"),
    (
        "",
        "Nobody stands under a load in a pit. The lifting certificate is needed for every lift "
        "below ground.",
    ),
)

SEALS = (
    ("part", "description", "fits", "price EUR"),
    ("S-14", "mechanical seal, 14 mm shaft", "X-180, X-200, T-90", 48.5),
    ("S-21", "mechanical seal, 21 mm shaft", "X-300", 79.9),
    ("DK-4", "diaphragm", "D-40", 36),
    ("G-65", "casing gasket", "X-200", 7.2),
    ("I-200", "impeller", "X-200", 132),
    ("CI-30", "coupling insert", "X-300", 22.4),
    ("L-36", "lithium battery pack", "F-8", 64),
)


def pdf(title: str, outline: Sequence[tuple[str, int]], pages: Sequence[Sequence[str]]) -> bytes:
    """Give a PDF with one line of Helvetica a string; text must be Latin-1."""
    first_page, first_mark = 5, 5 + 2 * len(pages)
    last_mark = first_mark + len(outline) - 1
    kids = " ".join(f"{first_page + 2 * i} 0 R" for i in range(len(pages)))
    objects = [
        "<< /Type /Catalog /Pages 2 0 R /Outlines 4 0 R >>",
        f"<< /Type /Pages /Kids [{kids}] /Count {len(pages)} >>",
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>",
        f"<< /Type /Outlines /First {first_mark} 0 R /Last {last_mark} 0 R >>",
    ]
    for number, lines in enumerate(pages):
        text = "".join(f"({_pdf_string(line)}) Tj T*\n" for line in lines)
        stream = f"BT /F1 11 Tf 16 TL 60 780 Td\n{text}ET"
        objects.append(
            "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] "
            f"/Resources << /Font << /F1 3 0 R >> >> /Contents {first_page + 2 * number + 1} 0 R >>"
        )
        objects.append(f"<< /Length {len(stream)} >>\nstream\n{stream}\nendstream")
    for number, (heading, page) in enumerate(outline, first_mark):
        before = f"/Prev {number - 1} 0 R" if number > first_mark else ""
        after = f"/Next {number + 1} 0 R" if number < last_mark else ""
        objects.append(
            f"<< /Title ({_pdf_string(heading)}) /Parent 4 0 R {before} {after} "
            f"/Dest [{first_page + 2 * page} 0 R /Fit] >>"
        )
    objects.append(f"<< /Title ({_pdf_string(title)}) >>")
    return _pdf_file([body.encode("latin-1") for body in objects])


def docx(paragraphs: Sequence[tuple[str, str]]) -> bytes:
    """Give a Word document of (style, text) paragraphs; an empty style is body text."""
    body = "".join(
        f"<w:p>{_style(style)}<w:r><w:t>{escape(text)}</w:t></w:r></w:p>"
        for style, text in paragraphs
    )
    normal = '<w:style w:type="paragraph" w:default="1" w:styleId="Normal"/>'
    headings = "".join(
        f'<w:style w:type="paragraph" w:styleId="Heading{n}"><w:name w:val="heading {n}"/>'
        f'<w:pPr><w:outlineLvl w:val="{n - 1}"/></w:pPr></w:style>'
        for n in (1, 2)
    )
    main = "application/vnd.openxmlformats-officedocument.wordprocessingml"
    return _office_file(
        "word/document.xml",
        types={
            "word/document.xml": f"{main}.document.main+xml",
            "word/styles.xml": f"{main}.styles+xml",
        },
        parts={
            "word/document.xml": f"<w:document {_W}><w:body>{body}</w:body></w:document>",
            "word/styles.xml": f"<w:styles {_W}>{normal}{headings}</w:styles>",
            "word/_rels/document.xml.rels": _relations({"styles": "styles.xml"}),
        },
    )


def xlsx(sheet: str, rows: Sequence[Sequence[str | float]]) -> bytes:
    """Give a workbook of one sheet, at most 26 columns wide."""
    data = "".join(
        f'<row r="{r}">{"".join(_cell(c, r, value) for c, value in enumerate(row))}</row>'
        for r, row in enumerate(rows, 1)
    )
    main = "application/vnd.openxmlformats-officedocument.spreadsheetml"
    return _office_file(
        "xl/workbook.xml",
        types={
            "xl/workbook.xml": f"{main}.sheet.main+xml",
            "xl/worksheets/sheet1.xml": f"{main}.worksheet+xml",
        },
        parts={
            "xl/workbook.xml": f'<workbook xmlns="{_S}" xmlns:r="{_R}"><sheets>'
            f'<sheet name="{escape(sheet)}" sheetId="1" r:id="r1"/></sheets></workbook>',
            "xl/worksheets/sheet1.xml": f'<worksheet xmlns="{_S}"><sheetData>{data}</sheetData>'
            "</worksheet>",
            "xl/_rels/workbook.xml.rels": _relations({"worksheet": "worksheets/sheet1.xml"}),
        },
    )


def files() -> dict[str, bytes]:
    """Give every generated file by its path in the example."""
    return {
        "manuals/x-300.pdf": pdf(X_300_PAGES[0][0], X_300_OUTLINE, X_300_PAGES),
        "manuals/seals-and-spares.xlsx": xlsx("Seals and spares", SEALS),
        "policies/lifting.docx": docx(LIFTING),
    }


_R = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_S = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
_W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
_XML = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
_PACKAGE = "http://schemas.openxmlformats.org/package/2006"


def _pdf_string(line: str) -> str:
    return line.replace("\\", r"\\").replace("(", r"\(").replace(")", r"\)")


def _pdf_file(objects: Sequence[bytes]) -> bytes:
    """Number the objects from 1; the first is the catalogue, the last the information."""
    out, offsets = bytearray(b"%PDF-1.4\n"), []
    for number, body in enumerate(objects, 1):
        offsets.append(len(out))
        out += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    start = len(out)
    out += b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    out += b"".join(b"%010d 00000 n \n" % offset for offset in offsets)
    info = len(objects)
    out += b"trailer\n<< /Size %d /Root 1 0 R /Info %d 0 R >>\n" % (info + 1, info)
    out += b"startxref\n%d\n%%%%EOF\n" % start
    return bytes(out)


def _style(style: str) -> str:
    return f'<w:pPr><w:pStyle w:val="{style}"/></w:pPr>' if style else ""


def _cell(column: int, row: int, value: str | float) -> str:
    place = f"{chr(ord('A') + column)}{row}"
    if isinstance(value, str):
        return f'<c r="{place}" t="inlineStr"><is><t>{escape(value)}</t></is></c>'
    return f'<c r="{place}"><v>{value}</v></c>'


def _relations(targets: dict[str, str]) -> str:
    entries = "".join(
        f'<Relationship Id="r{n}" Type="{_R}/{kind}" Target="{target}"/>'
        for n, (kind, target) in enumerate(targets.items(), 1)
    )
    return f'<Relationships xmlns="{_PACKAGE}/relationships">{entries}</Relationships>'


def _office_file(main: str, *, types: dict[str, str], parts: dict[str, str]) -> bytes:
    """Zip the parts, all dated 1980, the earliest a zip can say, so that bytes never change."""
    overrides = "".join(
        f'<Override PartName="/{part}" ContentType="{kind}"/>' for part, kind in types.items()
    )
    relations = "application/vnd.openxmlformats-package.relationships+xml"
    content_types = (
        f'<Types xmlns="{_PACKAGE}/content-types">'
        f'<Default Extension="rels" ContentType="{relations}"/>{overrides}</Types>'
    )
    every = {
        "[Content_Types].xml": content_types,
        "_rels/.rels": _relations({"officeDocument": main}),
        **parts,
    }
    out = BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for part, text in every.items():
            archive.writestr(zipfile.ZipInfo(part, (1980, 1, 1, 0, 0, 0)), _XML + text)
    return out.getvalue()


if __name__ == "__main__":
    for path, content in files().items():
        (FOLDER / path).write_bytes(content)
