"""What the scores of the ranker mean, on passages whose grades are known."""

from ..cells import count, decimal, interval, percent, points, word
from ..collection import Collection
from ..document import Cell, Column, Section, Table
from ..graded_lines import (
    Calibrated,
    LeftOut,
    OnTopic,
    calibrated_lines,
    left_out_lines,
    on_topic_lines,
)

_ON_TOPIC = [
    Column("Set"),
    Column("Answering (4)", numeric=True),
    Column("On topic (2)", numeric=True),
    Column("AUROC", numeric=True),
    Column("95 % interval", numeric=True),
]
_CALIBRATED = [
    Column("By"),
    Column("Group"),
    Column("Passages", numeric=True),
    Column("Relevant", numeric=True),
    Column("ECE", numeric=True),
    Column("95 % interval", numeric=True),
]
_LEFT_OUT = [
    Column("Threshold"),
    Column("Set"),
    Column("Has a train split"),
    Column("Score from", numeric=True),
    Column("Precision", numeric=True),
    Column("Over dev", numeric=True),
    Column("Balanced precision", numeric=True),
    Column("Over dev", numeric=True),
    Column("Recall", numeric=True),
    Column("Over dev", numeric=True),
]


def graded(collected: Collection) -> Section | None:
    """Return the chapter, or `None` where no passage has a grade and a score."""
    ranked = collected.ranked
    sets = ranked.graded_sets()
    if not any(one.scores for one in sets.values()):
        return None
    stated = all(one.stated for one in sets.values())
    parts = [
        Table(
            name="on-topic",
            title="On topic against answering",
            columns=_ON_TOPIC,
            rows=[_on_topic(line) for line in on_topic_lines(sets)],
            note="The chance that L2 scores a passage of grade 4 above one of grade 2.",
        ),
        Table(
            name="relevance-calibration",
            title="Calibration of P(grade ≥ 3)",
            columns=_CALIBRATED,
            rows=[_calibrated(line) for line in calibrated_lines(ranked)],
            note="P is what the ranker states."
            if stated
            else "The ranker states no probability: its score / 4 is taken for one.",
        ),
        Table(
            name="threshold-left-out",
            title="One threshold on a source that had no part in it",
            columns=_LEFT_OUT,
            rows=[_left_out(line) for line in left_out_lines(ranked)],
            note="“Over dev”: points above the mean over `dev` of all other sets. Precision falls "
            "with the share of relevant passages among those that were graded; balanced precision "
            "is what it would be if they were half.",
        ),
    ]
    return Section(
        name="graded",
        title="What scores mean",
        text=[
            "Passages that people or rules graded from 0 to 4; relevant from 3 on. Intervals are "
            "bootstrapped over questions, each with all of its passages."
        ],
        parts=[part for part in parts if part.rows],
    )


def _on_topic(line: OnTopic) -> list[Cell]:
    return [
        word(line.dataset),
        count(line.answering),
        count(line.on_topic),
        decimal(line.auroc),
        interval(line.interval),
    ]


def _calibrated(line: Calibrated) -> list[Cell]:
    return [
        word(line.by),
        word(line.group),
        count(line.n),
        percent(line.base_rate),
        decimal(line.ece),
        interval(line.interval),
    ]


def _left_out(line: LeftOut) -> list[Cell]:
    here, dev = line.here, line.dev
    return [
        word(line.chosen),
        word(line.dataset),
        word("yes" if line.trained else "no"),
        decimal(here.threshold, 2),
        percent(here.precision),
        points(here.precision - dev.precision),
        percent(here.balanced),
        points(here.balanced - dev.balanced),
        percent(here.recall),
        points(here.recall - dev.recall),
    ]
