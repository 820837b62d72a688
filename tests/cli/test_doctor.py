import json
from pathlib import Path
from typing import Any

import pytest

from headwater.cli.doctor_models import PROVIDERS, chat_checks, provider_of
from headwater.cli.doctor_system import device_check, package_check, system_checks
from tests.cli.commands import headwater


def findings(file: Path) -> dict[str, Any]:
    done = headwater("doctor", "--kb", file, "--json")
    told: dict[str, Any] = json.loads(done.stdout)
    assert done.exit_code == (1 if told["errors"] else 0)
    return told


def texts(file: Path, level: str, *areas: str) -> list[str]:
    return [
        check["text"]
        for check in findings(file)["checks"]
        if check["level"] == level and (not areas or check["area"] in areas)
    ]


def write(folder: Path, text: str) -> Path:
    (folder / "kb.toml").write_text(text)
    return folder / "kb.toml"


def test_the_example_is_sound(example: Path) -> None:
    told = findings(example)

    assert (told["errors"], told["warnings"]) == (0, 0)
    areas = {check["area"] for check in told["checks"]}
    assert areas == {"system", "models", "configuration", "device", "chat", "sources", "routing"}


def test_each_source_is_told_with_its_files_and_passages(example: Path) -> None:
    shown = headwater("doctor", "--kb", example).stdout

    assert "ok      product_manuals: 15 files, " in shown
    assert shown.rstrip().endswith("0 warning, 0 error")


def test_a_broken_configuration_does_not_hide_the_rest(tmp_path: Path) -> None:
    file = write(tmp_path, "name = ")

    assert any("not valid TOML" in text for text in texts(file, "error"))
    assert any(text.startswith("Python") for text in texts(file, "ok"))


def test_a_missing_folder_is_an_error_with_a_fix(tmp_path: Path) -> None:
    file = write(tmp_path, 'name="kb"\n[[sources]]\nname="pump_manuals"\npath="./nowhere"\n')

    [check] = [c for c in findings(file)["checks"] if c["area"] == "sources"]

    assert check["level"] == "error"
    assert "pump_manuals: there is no folder" in check["text"]
    assert "relative" in check["fix"]


def test_an_index_that_was_never_filled_is_a_warning(tmp_path: Path) -> None:
    table = 'name="pump_manuals"\npath="."\ndescription="Repair of pumps, seals, torques, faults"\n'
    file = write(tmp_path, f'name="kb"\n[[sources]]\n{table}')

    [text] = texts(file, "warning")

    assert text.startswith("pump_manuals: It was never ingested.")


def test_a_damaged_index_is_an_error(own_example: Path) -> None:
    for part in (own_example.parent / ".headwater" / "support_tickets").rglob("chunks.sqlite"):
        part.write_bytes(b"no database" * 1000)

    [text] = texts(own_example, "error", "sources")

    assert text.startswith("support_tickets: ")


def test_poor_names_and_descriptions_are_warnings(tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "x.md").write_text("Some text.\n")
    table = '[[sources]]\nname="{}"\npath="{}"\ndescription="{}"\n'
    same = ("How pumps are mounted, repaired and tested", "Mounting, repairing and testing pumps")
    file = write(
        tmp_path,
        'name="kb"\n' + table.format("docs", "a", same[0]) + table.format("kb2", "b", same[1]),
    )
    headwater("ingest", "--kb", file)

    found = texts(file, "warning")

    assert any("docs: the name says nothing" in text for text in found)
    assert any("kb2: the name is too short" in text for text in found)
    assert any("docs and kb2: " in text for text in found)


def test_a_key_is_looked_for_and_never_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-very-secret")
    [*_, key] = chat_checks("openai:gpt-4.1-mini")
    monkeypatch.delenv("OPENAI_API_KEY")
    [*_, missing] = chat_checks("gpt-4.1-mini")

    assert (key.level, key.text) == ("ok", "OPENAI_API_KEY is set.")
    assert (missing.level, missing.fix) == ("error", "Set OPENAI_API_KEY.")
    assert "sk-very" not in repr(key)


def test_a_missing_package_is_an_error_that_names_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GROQ_API_KEY", "x")
    levels = [(check.level, check.fix) for check in chat_checks("groq:llama")]

    assert ("error", "pip install 'langchain-groq'") in levels


@pytest.mark.parametrize(
    ("name", "provider"),
    [
        ("openai:gpt-4.1-mini", "openai"),
        ("azure-openai:x", "azure_openai"),
        ("claude-sonnet-4", "anthropic"),
        ("llama-3", None),
    ],
)
def test_the_provider_is_told_from_the_name(name: str, provider: str | None) -> None:
    assert provider_of(name) == provider


def test_an_unknown_provider_is_a_warning_and_none_is_fine() -> None:
    assert [check.level for check in chat_checks("llama-3")] == ["warning"]
    assert [check.level for check in chat_checks(None)] == ["ok"]


def test_a_local_provider_needs_no_key() -> None:
    assert PROVIDERS["ollama"].key is None


def test_the_packages_here_are_those_that_are_needed() -> None:
    checks = system_checks()

    assert {check.level for check in checks} == {"ok"}
    assert any(check.text == "whoosh 2.7.4." for check in checks)


def test_a_missing_package_and_a_wrong_version_are_errors_with_a_fix() -> None:
    missing, wrong = package_check("no-such-package"), package_check("whoosh", "9.9")

    assert (missing.level, wrong.level) == ("error", "error")
    assert missing.text == "The package no-such-package is not installed."
    assert (wrong.text, wrong.fix) == (
        "whoosh 2.7.4 is installed, 9.9 is needed.",
        "pip install whoosh==9.9",
    )


def test_a_device_that_is_not_there_is_an_error() -> None:
    import torch

    assert device_check("cpu").level == device_check("auto").level == "ok"
    if not torch.cuda.is_available():
        assert "cuda is not available" in device_check("cuda").text
