import io
import json
from dataclasses import asdict
from pathlib import Path

from headwater.sources.parse.limits import ParseLimits
from headwater.sources.parse.worker import answer, serve
from tests.sources.hostile_files import encrypted_pdf, pdf, write


def request(path: Path, kind: str, limits: ParseLimits | None = None) -> dict[str, str]:
    chosen = json.dumps(asdict(limits or ParseLimits()))
    return {"path": path.name, "kind": kind, "location": str(path), "text": "", "limits": chosen}


def test_every_request_gets_one_line_in_order(tmp_path: Path) -> None:
    write(tmp_path / "a.pdf", pdf(["one\u007f"]))
    write(tmp_path / "b.pdf", encrypted_pdf())
    asked = "".join(
        json.dumps(request(tmp_path / name, "pdf")) + "\n" for name in ("a.pdf", "b.pdf", "a.pdf")
    )
    answers = io.StringIO()

    serve(io.StringIO(asked), answers)

    kinds = [list(json.loads(line)) for line in answers.getvalue().splitlines()]
    assert kinds == [["extracted"], ["rejected"], ["extracted"]]


def test_a_limit_comes_back_with_its_facts(tmp_path: Path) -> None:
    write(tmp_path / "a.pdf", pdf(["one", "two"]))

    found = answer(request(tmp_path / "a.pdf", "pdf", ParseLimits(max_pages=1)))

    assert found == {"limit": {"limit": "max_pages", "allowed": 1, "used": 2}}


def test_a_bug_of_a_parser_costs_the_file_only(tmp_path: Path) -> None:
    asked = request(write(tmp_path / "a.pdf", pdf(["one"])).location, "pdf")

    found = answer({**asked, "limits": '{"no_such_limit": 1}'})

    assert "TypeError" in str(found["rejected"])


def test_a_link_that_took_the_place_of_a_file_is_not_followed(tmp_path: Path) -> None:
    write(tmp_path / "secret.pdf", pdf(["secret"]))
    (tmp_path / "a.pdf").symlink_to(tmp_path / "secret.pdf")

    found = answer(request(tmp_path / "a.pdf", "pdf"))

    assert "cannot be read" in str(found["rejected"])
