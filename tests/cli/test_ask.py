"""The real command on the real example, with the real models."""

import json
import os
from pathlib import Path
from typing import Any

import pytest
from pydantic import TypeAdapter

from headwater.cli.report import readable_answer
from headwater.domain.result import Result
from tests.cli.commands import command, headwater, in_a_process

CALIBRATION = "How often is an F-8 flow meter calibrated?"
FACT = "every 12 months"
PROTECTED = "How much is paid per night of on-call duty?"
SECRETS = ("85 euros", "140 euros", "allowances")


def asked(example: Path, question: str, *more: str, stdin: bytes | None = None) -> Result:
    """Ask for JSON and read it back as what it is."""
    done = headwater("ask", question, "--kb", example, "--json", *more, stdin=stdin)
    assert done.stderr == ""
    assert done.exit_code == (0 if json.loads(done.stdout)["status"] == "ok" else 3)
    return TypeAdapter(Result).validate_json(done.stdout)


def test_the_answer_is_on_stdout_and_the_steps_are_on_stderr(example: Path) -> None:
    done = headwater("ask", CALIBRATION, "--kb", example, "--effort", "low")

    assert done.exit_code == 0
    assert FACT in done.stdout.splitlines()[0]
    assert "[1]" in done.stdout.splitlines()[0]
    steps = [line.split()[0] for line in done.stderr.splitlines() if not line.startswith(" ")]
    assert steps == ["plan", "select", "federate", "rank", "merge", "answer"]
    assert "product_manuals · " in done.stderr


def test_every_part_of_the_report_is_there(example: Path) -> None:
    shown = headwater("ask", CALIBRATION, "--kb", example, "--effort", "medium").stdout

    for title in ("References", "Steps · effort medium", "Why it stopped", "What became of"):
        assert f"\n{title}" in shown
    assert "P(enough)" in shown


def test_json_holds_what_the_report_shows(example: Path) -> None:
    result = asked(example, CALIBRATION, "--effort", "low")
    shown = headwater("ask", CALIBRATION, "--kb", example, "--effort", "low").stdout

    assert result.answer
    assert readable_answer(result.answer).splitlines()[0] in shown
    assert f"{result.fates.found} found, {result.fates.kept} kept" in shown


@pytest.mark.parametrize("effort", ["minimal", "low", "medium", "auto"])
def test_every_effort_gives_references_and_a_balance(example: Path, effort: str) -> None:
    result = asked(example, CALIBRATION, "--effort", effort)

    assert result.effort == effort
    assert result.status == "ok"
    assert any(FACT in reference.text for reference in result.references)
    assert result.fates.found == result.fates.kept + sum(result.fates.cut.values())


def test_minimal_effort_answers_on_request_only(example: Path) -> None:
    assert asked(example, CALIBRATION, "--effort", "minimal").answer is None
    assert FACT in (asked(example, CALIBRATION, "--effort", "minimal", "--answer").answer or "")


def test_no_answer_gives_the_passages_only(example: Path) -> None:
    result = asked(example, CALIBRATION, "--effort", "low", "--no-answer")

    assert result.answer is None
    assert result.references


def test_only_the_named_sources_are_asked(example: Path) -> None:
    result = asked(example, CALIBRATION, "--source", "release_notes", "--source", "support_tickets")

    asked_for = {record.source for record in result.activity if record.step == "federate"}
    assert asked_for <= {"release_notes", "support_tickets"}
    assert asked_for


def test_the_budget_is_kept(example: Path) -> None:
    result = asked(example, CALIBRATION, "--max-tokens", "300")

    assert 0 < sum(reference.tokens for reference in result.references) <= 300


def test_explain_gives_a_row_for_each_candidate_that_may_be_named(example: Path) -> None:
    fates = asked(example, CALIBRATION, "--effort", "low", "--explain").fates

    assert len(fates.rows) == fates.found - fates.cut.get("access", 0)
    assert asked(example, CALIBRATION, "--effort", "low").fates.rows == []


def test_whoever_may_read_a_passage_gets_it(example: Path) -> None:
    result = asked(example, PROTECTED, "--identity", "group:hr", "--effort", "low")

    assert "85 euros" in (result.answer or "")


@pytest.mark.parametrize("form", [(), ("--json",)], ids=["text", "json"])
@pytest.mark.parametrize("effort", ["minimal", "low", "medium", "auto"])
def test_without_identity_nothing_protected_shows_anywhere(
    example: Path, form: tuple[str, ...], effort: str
) -> None:
    done = headwater("ask", PROTECTED, "--kb", example, "--explain", "--effort", effort, *form)

    assert done.exit_code == 0
    for secret in SECRETS:
        assert secret not in done.output


ODD: dict[str, Any] = {
    "punctuation": b"?!... ---",
    "emoji": "🙂🔧 X-200?".encode(),
    "nul": b"How heavy is\0 the X-200?",
    "no-text": b"\xff\xfe X-200 \xed\xa0\x80",
    "hundred-kilobytes": b"How heavy is the X-200? " + b"pump seal " * 10_000,
}


@pytest.mark.parametrize("name", ODD)
def test_odd_questions_get_a_result(example: Path, name: str) -> None:
    result = asked(example, "-", "--effort", "medium", stdin=ODD[name])

    assert result.status == "ok"
    assert "\0" not in result.question


def test_a_question_that_is_a_document_is_refused(example: Path) -> None:
    done = headwater("ask", "-", "--kb", example, stdin=b"x" * 250_000)

    assert done.exit_code == 1
    assert "250,000 characters" in done.stderr.splitlines()[-1]


@pytest.mark.skipif(os.name == "nt", reason="arguments are text there")
def test_an_argument_that_is_no_text_is_printed_all_the_same(example: Path) -> None:
    done = in_a_process("ask", b"X-200 \xff?".decode("utf-8", "surrogateescape"), "--kb", example)

    assert done.returncode == 0
    assert "Traceback" not in done.stderr


def test_a_stream_that_cannot_hold_a_script_shows_question_marks_and_json_escapes(
    example: Path,
) -> None:
    arguments = ("ask", "B-12 最大浸没深度", "--kb", example, "--effort", "minimal")

    shown = in_a_process(*arguments, encoding="cp1252")
    data = in_a_process(*arguments, "--json", encoding="cp1252")

    assert shown.returncode == 0
    assert "??" in shown.stdout
    assert data.stdout.isascii()
    assert json.loads(data.stdout)["question"] == "B-12 最大浸没深度"


def test_a_damaged_source_costs_its_own_hits_and_is_named(own_example: Path) -> None:
    state = own_example.parent / ".headwater" / "support_tickets"
    for file in state.rglob("chunks.sqlite"):
        file.write_bytes(b"no database" * 1000)

    done = headwater("ask", CALIBRATION, "--kb", own_example, "--effort", "minimal", "--answer")

    assert done.exit_code == 3
    assert FACT in done.stdout.splitlines()[0]
    assert "status partial" in done.stdout
    assert "support_tickets" in done.stdout[done.stdout.index("Not covered") :]


def test_an_empty_index_is_filled_before_the_first_question(tmp_path: Path) -> None:
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "a.md").write_text("# Boiler\n\nThe boiler weighs 12 kg.\n")
    (tmp_path / "kb.toml").write_text('name="kb"\n[[sources]]\nname="boilers"\npath="notes"\n')

    first = headwater("ask", "How heavy is the boiler?", "--kb", tmp_path / "kb.toml")
    again = headwater("ask", "How heavy is the boiler?", "--kb", tmp_path / "kb.toml")

    assert "12 kg" in first.stdout.splitlines()[0]
    assert "boilers: 1 added" in first.stderr
    assert "boilers" not in again.stderr.splitlines()[0]


def test_no_ingest_leaves_an_empty_index_empty_and_says_so(tmp_path: Path) -> None:
    (tmp_path / "kb.toml").write_text('name="kb"\n[[sources]]\nname="boilers"\npath="."\n')

    done = headwater("ask", "How heavy?", "--kb", tmp_path / "kb.toml", "--no-ingest")

    assert done.exit_code == 3
    assert "never ingested" in done.stdout


def test_two_questions_at_once_take_turns(example: Path) -> None:
    import subprocess

    both = [
        subprocess.Popen(
            command("ask", CALIBRATION, "--kb", example, "--effort", "minimal"),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for _ in range(2)
    ]
    ended = [(*process.communicate(timeout=120), process.returncode) for process in both]

    assert [(code, errors) for _, errors, code in ended if code] == []
