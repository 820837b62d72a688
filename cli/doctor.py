"""`headwater doctor`: find what is wrong before a question does."""

from pathlib import Path

import click

from . import exits


@click.command("doctor")
@click.option(
    "--kb", type=click.Path(path_type=Path), help="Knowledge base file; default: headwater.toml."
)
@click.option("--json", "as_json", is_flag=True, help="Print the findings as one JSON object.")
@click.pass_context
def command(ctx: click.Context, kb: Path | None, *, as_json: bool) -> None:
    """Check configuration, sources, indexes, models, keys, and names and descriptions.

    Each finding is ok, a warning or an error, with what to do. Errors end with exit code 1.
    """
    from .diagnosis import diagnose, print_checks
    from .plain import plain, print_json

    checks = diagnose(kb)
    counts = {f"{level}s": sum(c.level == level for c in checks) for level in ("error", "warning")}
    if as_json:
        from .check import Check

        print_json({"checks": plain(list[Check], checks), **counts})
    else:
        print_checks(checks)
    ctx.exit(exits.ERROR if counts["errors"] else exits.OK)
