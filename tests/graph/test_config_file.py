"""Bad configuration: the error names the place and the way out."""

from pathlib import Path

import pytest

from headwater.domain.errors import ConfigurationError
from headwater.graph.config import FilesSection, LimitsSection
from headwater.graph.config_file import read
from headwater.sources.parse.limits import ParseLimits
from headwater.sources.walk import WalkRules

GOOD = """\
name = "field-service"
effort = "low"

[models]
chat = "openai:${MODEL}"

[settings]
content_budget = 3000

[[sources]]
name = "manuals"
kind = "files"
path = "./manuals"
"""


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("MODEL", "small")
    path = tmp_path / "headwater.toml"
    path.write_text(GOOD, "utf-8")
    return path


def _changed(file: Path, old: str, new: str) -> Path:
    assert old in GOOD
    file.write_text(GOOD.replace(old, new), "utf-8")
    return file


def test_a_good_file_is_read_and_its_variables_expanded(file: Path) -> None:
    config = read(file)

    assert config.models.chat == "openai:small"
    assert config.settings.content_budget == 3000
    assert [source.name for source in config.sources] == ["manuals"]


@pytest.mark.parametrize(
    ("old", "new", "line", "message"),
    [
        ('effort = "low"', 'efort = "low"', 2, "unknown key `efort`. Did you mean `effort`?"),
        ('path = "./', 'pth = "./', 13, "Did you mean `path`?"),
        ("content_budget", "budget", 8, "unknown key `settings.budget`"),
        ("chat = ", "zzzz = ", 5, "Known keys: chat, chat_seconds, embedder"),
        ("chat = ", "chatt = ", 5, "Did you mean `chat`?"),
        ('effort = "low"', 'effort = "lowest"', 2, "`effort`: Input should be 'minimal'"),
        ('chat = "openai:${MODEL}"', 'ranker = ""', 5, "`models.ranker`"),
        ("content_budget = 3000", "content_budget = -1", 8, "`settings.content_budget`"),
        ('kind = "files"', 'kind = "sharepoint"', 12, "`sources.0.kind`"),
        ('name = "manuals"', 'name = "our manuals"', 11, "`sources.0.name`"),
        ('kind = "files"', "limits = { max_page = 9 }", 12, "Did you mean `max_pages`?"),
    ],
)
def test_a_fault_is_named_with_its_line(
    file: Path, old: str, new: str, line: int, message: str
) -> None:
    with pytest.raises(ConfigurationError) as caught:
        read(_changed(file, old, new))

    assert message in str(caught.value)
    assert f"headwater.toml:{line}:" in str(caught.value)


def test_a_file_that_is_no_toml_is_named_with_line_and_column(file: Path) -> None:
    with pytest.raises(ConfigurationError, match=r"not valid TOML: .*line 2"):
        read(_changed(file, 'effort = "low"', "effort = low"))


def test_a_missing_file_says_how_to_make_one(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="headwater init"):
        read(tmp_path / "none.toml")


def test_a_file_in_another_encoding_is_refused(file: Path) -> None:
    file.write_bytes(GOOD.encode("utf-16"))

    with pytest.raises(ConfigurationError, match="cannot be read"):
        read(file)


def test_an_unset_variable_is_named_and_no_value_is_shown(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("MODEL")

    with pytest.raises(ConfigurationError, match="Set MODEL"):
        read(file)


def test_an_error_never_echoes_a_value_that_may_be_secret(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MODEL", "sk-secret")
    broken = _changed(file, 'path = "./manuals"', 'path = "./manuals"\nkey = "${MODEL}"')

    with pytest.raises(ConfigurationError) as caught:
        read(broken)
    assert "sk-secret" not in str(caught.value)


def test_more_than_ten_sources_are_refused(file: Path) -> None:
    source = '\n[[sources]]\nname = "s{}"\npath = "."\n'
    file.write_text(GOOD + "".join(source.format(n) for n in range(10)), "utf-8")

    with pytest.raises(ConfigurationError, match="at most 10"):
        read(file)


def test_a_wrong_key_under_fields_is_named_with_the_nearest_one(file: Path) -> None:
    broken = _changed(
        file, 'path = "./manuals"', 'path = "./manuals"\nfields = { contents = ["body"] }'
    )

    with pytest.raises(ConfigurationError, match=r"(?s)contents.*content"):
        read(broken)


def test_limits_that_are_not_named_are_those_of_the_parsers() -> None:
    assert ParseLimits(**LimitsSection().model_dump()) == ParseLimits()
    assert FilesSection(name="s", path=".").max_file_bytes == WalkRules().max_file_bytes
    assert FilesSection(name="s", path=".").max_files == WalkRules().max_files
