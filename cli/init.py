"""`headwater init`: write a knowledge base file."""

from pathlib import Path

import click


@click.command("init")
@click.argument("folder", default=".", type=click.Path(path_type=Path))
@click.option("--name", help="Name of the knowledge base; by default that of the folder.")
@click.option(
    "--files",
    multiple=True,
    type=click.Path(path_type=Path),
    help="A folder to use as a source; may be repeated.",
)
@click.option("--force", is_flag=True, help="Write over a file that is there.")
def command(folder: Path, *, name: str | None, files: tuple[Path, ...], force: bool) -> None:
    """Write FOLDER/headwater.toml with one source for each folder that holds documents.

    Look at names and descriptions before you rely on them: selection sees little else.
    """
    from .template import write_file

    path, sources = write_file(folder, name=name, files=files, force=force)
    click.echo(f"Wrote {path} with {len(sources)} source(s): {', '.join(sources)}.")
    click.echo(f"Next: headwater doctor --kb {path}", err=True)
