"""Tables without lines, for people and for `awk` alike."""

from rich.table import Table


def plain_table(*headers: str) -> Table:
    """Start a table with one column a header; two blanks between columns."""
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="dim")
    for header in headers:
        table.add_column(header, overflow="fold")
    return table
