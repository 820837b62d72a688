"""The entry point: which commands there are."""

import click

from .. import __version__
from .exits import EPILOG
from .group import Lazy, LazyGroup, debug_option

COMMANDS = {
    "init": Lazy(".init", "Write a knowledge base file for a folder."),
    "ingest": Lazy(".ingest", "Bring the indexes up to date."),
    "ask": Lazy(".ask", "Ask a question; the answer comes with checked citations."),
    "eval": Lazy(".eval", "Measure a knowledge base, and compare results."),
    "doctor": Lazy(".doctor", "Check configuration, sources, indexes, models and routing."),
    "models": Lazy(".models", "List the built-in models, or verify their weights."),
}


class Headwater(LazyGroup):
    """The group of all commands."""

    lazy = COMMANDS


@click.group(
    cls=Headwater,
    epilog=EPILOG,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.version_option(__version__, prog_name="headwater")
@debug_option
def cli() -> None:
    """Ask your own files: plan, search, rank, decide, and answer with checked citations.

    \b
    headwater ask --files ~/manuals "Which pumps share the X-200 seal?"
    headwater init ~/manuals && headwater ask --kb ~/manuals/headwater.toml "..."
    """  # noqa: D301 - click wants the real backspace character, which keeps lines apart


def main() -> None:
    """Run the command and end the process with its exit code."""
    # A question that ends with "?" must not be taken for a file pattern on Windows.
    cli.main(windows_expand_args=False)
