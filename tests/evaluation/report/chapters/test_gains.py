"""What each setting gains over the first."""

from dataclasses import replace

import pytest

from headwater.evaluation.measures.support import full_support
from headwater.evaluation.report.chapters.gains import MEAN, OVERALL, gains
from headwater.evaluation.report.document import MISSING, Plot
from headwater.evaluation.statistics import holm, mean_of_means_ci, paired
from tests.evaluation.report.collected import collected, table_of
from tests.evaluation.report.sample import failed_row, sample_rows


def main_rows(setting: str) -> dict[str, dict[str, str]]:
    """Label -> row of the forest plot's table."""
    rows = table_of(gains(collected()), "gain-forest")
    return {row["Questions of"]: row for row in rows if row["Setting"] == setting}


def test_each_data_set_is_compared_then_all_then_their_mean() -> None:
    assert list(main_rows("medium")) == ["manuals", "tickets", "contracts", OVERALL, MEAN]


def test_a_gain_is_that_of_the_same_questions() -> None:
    rows = [row for row in sample_rows() if row.dataset == "manuals"]
    before = [full_support(row, 5_000) or 0.0 for row in rows if row.setting == "minimal"]
    after = [full_support(row, 5_000) or 0.0 for row in rows if row.setting == "medium"]
    expected = paired(before, after)
    assert expected is not None

    found = main_rows("medium")["manuals"]

    assert found["Gain (points, 95 %)"].startswith(f"{expected.difference * 100:+.1f} [")
    assert found["Better / worse"] == f"{expected.rose} / {expected.fell}"
    assert found["p"] == f"{expected.p_value:.3f}"
    assert found["n"] == "12"


def test_p_values_are_corrected_over_the_data_sets_but_not_for_their_total() -> None:
    rows = main_rows("medium")
    names = ["manuals", "tickets", "contracts"]

    corrected = holm([float(rows[name]["p"]) for name in names])

    shown = [float(rows[name]["p (Holm)"]) for name in names]
    assert shown == pytest.approx(corrected, abs=0.002)
    assert rows[OVERALL]["p (Holm)"] == MISSING


def test_a_mean_of_data_sets_has_an_interval_within_them_but_no_p_value() -> None:
    mean = main_rows("medium")[MEAN]
    changes = []
    for dataset in ("manuals", "tickets", "contracts"):
        rows = [row for row in sample_rows() if row.dataset == dataset]
        before = [full_support(row, 5_000) or 0.0 for row in rows if row.setting == "minimal"]
        after = [full_support(row, 5_000) or 0.0 for row in rows if row.setting == "medium"]
        changes.append([b - a for a, b in zip(before, after, strict=True)])
    ends = mean_of_means_ci(changes, seed=0)
    assert ends is not None

    shown = f"[{ends.low * 100:.1f}, {ends.high * 100:.1f}]"
    assert mean["Gain (points, 95 %)"].endswith(shown)
    assert mean["p"] == MISSING
    assert mean["n"] == MISSING


def test_a_setting_that_gains_nothing_keeps_its_row() -> None:
    same = [row for row in sample_rows() if row.setting == "minimal"]
    rows = same + [replace(row, setting="low") for row in same]

    found = table_of(gains(collected(rows)), "gain-forest")

    assert {row["Gain (points, 95 %)"] for row in found[:4]} == {"+0.0 [0.0, 0.0]"}
    assert {row["p"] for row in found[:4]} == {"1.000"}


def test_a_gain_of_few_questions_has_no_interval() -> None:
    section = gains(collected(sample_rows(2)))

    rows = table_of(section, "gain-forest")
    with_ends = {r["Questions of"] for r in rows if "[" in r["Gain (points, 95 %)"]}
    assert with_ends == {OVERALL}
    assert {r["n"] for r in rows if r["Questions of"] == OVERALL} == {"6"}
    assert section is not None
    [plot] = [part for part in section.parts if isinstance(part, Plot)]
    assert "of 8 comparisons 1 lie wholly above zero" in plot.alt


def test_questions_that_one_of_the_two_lacks_are_left_out() -> None:
    rows = [row for row in sample_rows() if (row.setting, row.qid) != ("low", "manuals-0")]
    rows.append(failed_row("manuals", 0, "low"))

    found = table_of(gains(collected(rows)), "gain-forest")

    low = next(r for r in found if (r["Questions of"], r["Setting"]) == ("manuals", "low"))
    assert low["n"] == "11"


def test_one_setting_alone_has_no_gains() -> None:
    rows = [row for row in sample_rows(2) if row.setting == "low"]

    assert gains(collected(rows)) is None


def test_gains_are_there_at_every_budget() -> None:
    rows = table_of(gains(collected()), "gains-all")

    assert {row["Budget"] for row in rows} == {"1,000", "2,000", "5,000", "10,000"}
