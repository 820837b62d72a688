from headwater.cli.indexing import Bars, print_reports, summary
from headwater.cli.screen import Screen
from headwater.sources.document import FileProblem
from headwater.sources.files import IngestProgress, IngestReport
from tests.cli.output import printed

REPORT = IngestReport(
    added=2,
    changed=0,
    deleted=1,
    unchanged=3,
    chunks=40,
    embedded=9,
    problems=[FileProblem(f"{n}.pdf", "It is\nencrypted.") for n in range(3)],
    warnings=["a.md: odd"],
    seconds=1.25,
)


def progress(seconds: float, files_total: int | None = 4) -> IngestProgress:
    return IngestProgress(2, files_total, 9, "a.md", seconds)


def test_a_summary_tells_what_is_not_zero() -> None:
    assert summary(REPORT) == "2 added, 1 deleted, 3 skipped, 3 unchanged · 40 passages · 1.2 s"


def test_skipped_files_are_listed_up_to_a_number() -> None:
    shown = printed(lambda screen: print_reports(screen, {"manuals": REPORT}, problems=2))

    assert shown.splitlines()[1:] == [
        "  skipped 0.pdf: It is encrypted.",
        "  skipped 1.pdf: It is encrypted.",
        "  and 1 more skipped files",
        "  warning: a.md: odd",
    ]


def test_a_terminal_shows_a_bar_a_source() -> None:
    def show(screen: Screen) -> None:
        with Bars(screen) as bars:
            bars("manuals", progress(0.1, None))
            bars("manuals", progress(0.2))
            bars("tickets", progress(0.1))

    shown = printed(show, terminal=True)

    assert "manuals" in shown
    assert "2/4" in shown
    assert "tickets" in shown


def test_without_terminal_a_line_comes_every_ten_seconds() -> None:
    def show(screen: Screen) -> None:
        with Bars(screen) as bars:
            for seconds in (0.1, 9.0, 11.0, 12.0, 22.0):
                bars("manuals", progress(seconds))
            bars("tickets", progress(0.1))
            bars("tickets", progress(10.5, None))

    assert printed(show).splitlines() == [
        "manuals: 2 of 4 files, 9 passages",
        "manuals: 2 of 4 files, 9 passages",
        "tickets: 2 of unknown files, 9 passages",
    ]
