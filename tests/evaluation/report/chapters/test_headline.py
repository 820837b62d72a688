"""Full support at each budget."""

from dataclasses import replace

from headwater.evaluation.report.chapters.headline import headline, headline_figures
from headwater.evaluation.report.document import MISSING
from tests.evaluation.report.collected import collected, table_of
from tests.evaluation.report.sample import failed_row, sample_rows


def test_every_setting_has_a_row_at_every_budget() -> None:
    rows = table_of(headline(collected()), "full-support")

    assert [(row["Setting"], row["Budget (tokens)"]) for row in rows[:5]] == [
        ("minimal", "1,000"),
        ("minimal", "2,000"),
        ("minimal", "5,000"),
        ("minimal", "10,000"),
        ("low", "1,000"),
    ]
    assert len(rows) == 12


def test_a_larger_budget_never_supports_less() -> None:
    rows = table_of(headline(collected()), "full-support")
    shares = [float(row["Full support"].removesuffix(" %")) for row in rows]

    assert all(shares[i : i + 4] == sorted(shares[i : i + 4]) for i in (0, 4, 8))


def test_a_setting_that_always_failed_has_dashes_not_zeros() -> None:
    rows = [row for row in sample_rows(3) if row.setting != "low"]
    rows += [failed_row("manuals", number, "low") for number in range(3)]

    low = [r for r in table_of(headline(collected(rows)), "full-support") if r["Setting"] == "low"]

    assert {row["Full support"] for row in low} == {MISSING}
    assert {row["Questions"] for row in low} == {"0"}
    assert headline_figures(collected(rows))[1].value == MISSING


def test_a_setting_that_searches_for_no_evidence_is_not_listed() -> None:
    rows = sample_rows(3)
    given = [replace(row, setting="graded-pairs") for row in rows if row.setting == "medium"]
    found = collected([*rows, *given])

    named = {row["Setting"] for row in table_of(headline(found), "full-support")}

    assert named == {"minimal", "low", "medium"}
    assert [figure.label for figure in headline_figures(found)] == ["minimal", "low", "medium"]


def test_it_says_where_content_ends_below_a_budget() -> None:
    section = headline(collected())

    assert section is not None
    most = max(sum(p.tokens for p in r.content) for r in sample_rows() if r.setting == "low")
    assert f"{most:,} under “low”" in section.text[1]


def test_without_gold_passages_there_is_no_such_chapter() -> None:
    rows = [replace(row, gold=[]) for row in sample_rows(2)]

    assert headline(collected(rows)) is None


def test_the_drawing_is_described_with_its_numbers() -> None:
    section = headline(collected())
    assert section is not None
    [plot] = section.parts

    assert "95 % intervals" in plot.alt  # type: ignore[union-attr]  # the only part is a plot
    assert "medium from" in plot.alt  # type: ignore[union-attr]
