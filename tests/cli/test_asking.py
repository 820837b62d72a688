"""What is wrong with a question is said before anything is loaded."""

from pathlib import Path

import click
import pytest

from headwater.cli.asking import identity_of, read_question
from headwater.domain.errors import InvalidRequestError
from tests.cli.commands import error_of, headwater

GOOD = 'name = "kb"\n[[sources]]\nname = "product_manuals"\npath = "."\n'


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "kb.toml"


def refused(file: Path, text: str, *more: str) -> str:
    file.write_text(text)
    return error_of(headwater("ask", "Which seal?", "--kb", file, *more))


def test_a_missing_file_names_the_way_out(tmp_path: Path) -> None:
    message = error_of(headwater("ask", "Which seal?", "--kb", tmp_path / "no.toml"))

    assert "headwater init" in message
    assert "no.toml" in message


def test_broken_toml_names_the_line(file: Path) -> None:
    assert "line 2" in refused(file, 'name = "kb"\neffort = \n')


def test_an_unknown_key_names_the_nearest_and_its_line(file: Path) -> None:
    message = refused(file, 'name = "kb"\nefort = "low"\n' + GOOD.partition("\n")[2])

    assert "kb.toml:2: unknown key `efort`. Did you mean `effort`?" in message


def test_an_unset_variable_is_named(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NOT_SET_ANYWHERE", raising=False)

    assert "NOT_SET_ANYWHERE is not set" in refused(
        file, GOOD + 'description = "${NOT_SET_ANYWHERE}"'
    )


def test_an_unknown_source_names_the_nearest(file: Path) -> None:
    message = refused(file, GOOD, "--source", "product_manual")

    assert "There is no source 'product_manual'. Did you mean 'product_manuals'?" in message


def test_a_source_whose_folder_is_missing_is_named(file: Path) -> None:
    message = refused(file, GOOD.replace('"."', '"./nowhere"'))

    assert "product_manuals" in message
    assert "nowhere" in message


@pytest.mark.parametrize("question", ["", "   ", "\n\t"])
def test_an_empty_question_is_refused(question: str) -> None:
    assert "The question is empty" in error_of(headwater("ask", question))


def test_an_empty_stdin_is_an_empty_question() -> None:
    assert "The question is empty" in error_of(headwater("ask", "-", stdin=""))


def test_a_missing_folder_is_refused() -> None:
    assert "no folder or file 'nowhere'" in error_of(
        headwater("ask", "Which seal?", "--files", "nowhere")
    )


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--effort", "maximal"], "'minimal', 'low', 'medium', 'auto'"),
        (["--max-tokens", "0"], "1<=x<=200000"),
        (["--identity", "ada"], "user:NAME or group:NAME"),
        (["--identity", "group:"], "user:NAME or group:NAME"),
        (["--identity", "user:ada", "--identity", "user:bob"], "more than one user"),
        (["--kb", "a", "--files", "b"], "exclude each other"),
    ],
)
def test_a_wrong_option_ends_with_2_and_says_what_is_right(
    arguments: list[str], words: str
) -> None:
    result = headwater("ask", "Which seal?", *arguments)

    assert result.exit_code == 2
    assert words in result.stderr
    assert result.stdout == ""


def test_who_asks_is_read_from_pairs() -> None:
    identity = identity_of(("user:ada", "group:hr", "group:a:b"))

    assert identity is not None
    assert identity.principals == {"user:ada", "group:hr", "group:a:b"}
    assert identity_of(()) is None


def test_a_wrong_pair_is_a_usage_error() -> None:
    with pytest.raises(click.UsageError):
        identity_of(("role:x",))


def test_an_argument_is_the_question_itself() -> None:
    assert read_question(" What? ") == " What? "


def test_a_blank_argument_is_refused() -> None:
    with pytest.raises(InvalidRequestError):
        read_question(" ")
