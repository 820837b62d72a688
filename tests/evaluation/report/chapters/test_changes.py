"""What each setting changes in the other main measures."""

from dataclasses import replace

from headwater.evaluation.measures.selection import source_recall
from headwater.evaluation.report.chapters.changes import changes
from headwater.evaluation.report.collection import COMPARED
from headwater.evaluation.summary import MEASURES
from tests.evaluation.report.collected import collected, table_of
from tests.evaluation.report.sample import sample_rows


def test_every_measure_that_is_compared_exists_and_has_a_direction() -> None:
    known = {measure.name: measure for measure in MEASURES}

    assert set(COMPARED) <= set(known)
    assert all(known[name].higher_is_better is not None for name in COMPARED)


def test_a_change_is_told_with_both_means() -> None:
    rows = [
        replace(row, sub_queries=[replace(row.sub_queries[0], sources=["elsewhere"])])
        if row.setting == "low" and row.dataset == "manuals"
        else row
        for row in sample_rows()
    ]
    low = [row for row in rows if row.setting == "low"]
    after = sum(source_recall(row) or 0 for row in low) / len(low)

    found = table_of(changes(collected(rows)), "changes-all")

    row = next(r for r in found if (r["Measure"], r["Setting"]) == ("Source recall", "low"))
    assert (row["Before"], row["After"]) == ("1.000", f"{after:.3f}")
    assert row["Change"] == f"{after - 1:+.3f}"
    assert row["p"] == "< 0.001"


def test_a_measure_that_the_first_setting_lacks_is_not_compared() -> None:
    found = table_of(changes(collected()), "changes-all")

    assert "Recall@10 after classification (L3)" not in {row["Measure"] for row in found}
    assert "Recall@10 after ranking (L2)" in {row["Measure"] for row in found}


def test_settings_without_evidence_are_compared_by_their_sources() -> None:
    rows = [replace(row, gold=[]) for row in sample_rows(3)]

    found = table_of(changes(collected(rows)), "changes-all")

    assert "Exact set of sources" in {row["Measure"] for row in found}


def test_one_setting_alone_is_not_compared() -> None:
    rows = [row for row in sample_rows(1) if row.setting == "low"]

    assert changes(collected(rows)) is None
