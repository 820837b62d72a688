"""What each drawing shows of its values."""

import re
import xml.etree.ElementTree as ET

import pytest

from headwater.evaluation.report.plots.estimate import Bin, Curve, Effect, Estimate, reaches
from headwater.evaluation.report.plots.exits import FEW, ExitPoint, exits_plot, labels
from headwater.evaluation.report.plots.gains import gains_plot
from headwater.evaluation.report.plots.grades import Box, grades_plot
from headwater.evaluation.report.plots.reliability import reliability_plot
from headwater.evaluation.report.plots.steps import steps_plot
from headwater.evaluation.report.plots.support import support_plot
from headwater.evaluation.statistics import Interval

_TEXT = "{http://www.w3.org/2000/svg}text"
_NUMBER = re.compile(r"[\u2212-]?\d+(\.\d+)?")
ESTIMATE = Estimate(0.5, Interval(0.4, 0.6), 20)


def words(svg: str) -> set[str]:
    """The texts of a drawing."""
    return {"".join(text.itertext()).strip() for text in ET.fromstring(svg).iter(_TEXT)}


def numbers(texts: set[str]) -> list[float]:
    """Those of the texts that are numbers."""
    found = filter(_NUMBER.fullmatch, texts)
    return [float(text.replace("\u2212", "-")) for text in found]


def test_support_names_settings_budgets_and_units() -> None:
    curves = [Curve(name, [(1_000, ESTIMATE), (10_000, ESTIMATE)]) for name in ("low", "medium")]

    assert words(support_plot(curves, name="a")) >= {
        "low",
        "medium",
        "1,000",
        "10,000",
        "100 %",
        "content budget (tokens)",
        "questions with full support",
    }


def test_a_single_budget_is_drawn_too() -> None:
    assert "5,000" in words(support_plot([Curve("low", [(5_000, ESTIMATE)])], name="a"))


def test_series_differ_by_more_than_colour() -> None:
    curves = [Curve(name, [(1_000, ESTIMATE), (10_000, ESTIMATE)]) for name in ("low", "medium")]

    assert "stroke-dasharray" in support_plot(curves, name="a")
    assert "stroke-dasharray" not in support_plot(curves[:1], name="a")


def test_gains_name_each_set_once_and_the_setting_compared_with() -> None:
    effects = [Effect(label, "medium", ESTIMATE) for label in ("manuals", "all questions")]

    drawn = words(gains_plot(effects, name="g", first="minimal", total="all questions"))

    assert drawn >= {
        "manuals",
        "all questions",
        "gain over minimal (percentage points, 95 % interval)",
    }


def test_an_estimate_outside_its_interval_does_not_break_the_drawing() -> None:
    # A bootstrapped interval need not hold the mean of a very skewed sample.
    effects = [Effect("manuals", "low", Estimate(0.5, Interval(0.6, 0.7), 9))]

    assert "manuals" in words(gains_plot(effects, name="g", first="minimal", total="all"))


def test_an_estimate_without_an_interval_is_a_mark_alone() -> None:
    few = Estimate(0.5, None, 3)

    gain = gains_plot([Effect("manuals", "low", few)], name="g", first="minimal", total="all")

    assert reaches([few, ESTIMATE]) == [[0.0, pytest.approx(0.1)], [0.0, pytest.approx(0.1)]]
    assert "manuals" in words(gain)
    assert "low" in words(support_plot([Curve("low", [(1_000, few)])], name="s"))


@pytest.mark.parametrize(("mean", "ends"), [(0.0, None), (0.0, Interval(0.0, 0.0))])
def test_gains_of_nothing_stand_on_an_axis_of_whole_points(
    mean: float, ends: Interval | None
) -> None:
    effects = [Effect("manuals", "low", Estimate(mean, ends, 9))]

    ticks = numbers(words(gains_plot(effects, name="g", first="minimal", total="all")))

    assert min(ticks) <= -4
    assert max(ticks) >= 4


def test_large_gains_widen_the_axis() -> None:
    effects = [Effect("manuals", "low", Estimate(0.3, Interval(0.2, 0.4), 9))]

    assert 40 in numbers(words(gains_plot(effects, name="g", first="minimal", total="all")))


def test_exits_show_reflection_only_where_there_was_one() -> None:
    point = ExitPoint(
        number=1, label="manuals", difficulty=0.4, classifier=0.5, reflection=None, n=9
    )
    reflected = ExitPoint(
        number=1, label="tickets", difficulty=0.6, classifier=0.2, reflection=0.7, n=9
    )

    assert "with reflection" not in words(exits_plot([point], name="e"))
    assert {"with reflection", "tickets"} <= words(exits_plot([point, reflected], name="e"))


def test_marks_that_cover_each_other_share_a_label() -> None:
    many = [
        ExitPoint(number=n, label="a", difficulty=0.4, classifier=0.5, reflection=None, n=1)
        for n in range(1, FEW + 2)
    ]

    assert list(labels(many).values()) == ["1, 2, 3, 4, 5, 6"]
    assert list(labels(many[:1]).values()) == ["a"]


def test_reliability_tells_languages_apart() -> None:
    groups = {"en": [Bin(0.2, 0.1, 5), Bin(0.8, 0.9, 50)], "zh": [Bin(0.5, 0.4, 9)]}

    drawn = words(reliability_plot(groups, name="r", forecast="P(sufficient)"))

    assert drawn >= {"en", "zh", "P(sufficient)", "share that came true"}


def test_grades_show_a_box_for_each_grade_and_layer() -> None:
    boxes = [
        Box(layer=layer, grade=grade, low=0, lower=1, median=2, upper=3, high=4, n=7)
        for layer in ("L2", "L3")
        for grade in ("not judged", "4")
    ]

    assert words(grades_plot(boxes, name="s")) >= {"L2", "L3", "not judged", "4", "score (0 to 4)"}


def test_steps_are_stacked_in_the_order_of_the_run() -> None:
    times = {"low": {"rank": 20.0}, "medium": {"plan": 3.0, "rank": 20.0}}

    drawn = steps_plot(times, steps=["plan", "rank"], name="t")

    assert drawn.index(">plan<") < drawn.index(">rank<")
    assert "mean time of a question (ms)" in words(drawn)
