"""Print the golden report: twelve made-up questions of three data sets under three settings."""

import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from headwater.evaluation.report.write import write_reports
from tests.evaluation.report.sample import failed_row, sample_rows, write_run


def golden_report(folder: Path) -> str:
    """Write the reports of the sample, one failed question included, and return the Markdown.

    It ends before the definitions of the measures, which are theirs to word.
    """
    rows = [*sample_rows(4), failed_row("manuals", 4, "medium")]
    write_reports(write_run(folder, rows))
    return folder.joinpath("report.md").read_text("utf-8").partition("## Definitions")[0]


if __name__ == "__main__":
    with TemporaryDirectory() as name:
        sys.stdout.write(golden_report(Path(name)))
