"""The chapters of the experiment `ranking`."""

import json
from pathlib import Path

import pytest

from headwater.evaluation.measures.orders import ORDERS
from headwater.evaluation.record import ResultRow
from headwater.evaluation.report.chapters.graded import graded as graded_chapter
from headwater.evaluation.report.chapters.orders import order_figures, orders
from headwater.evaluation.report.chapters.windows import windows
from headwater.evaluation.report.document import MISSING, Plot
from headwater.evaluation.report.gather import gather
from headwater.evaluation.report.ranked_json import ranked_json
from headwater.evaluation.report.write import write_reports
from tests.evaluation.report.collected import collected, table_of
from tests.evaluation.report.ranking_rows import captioned, graded, ranked_of, retrieved
from tests.evaluation.report.sample import RUN, write_run

SEARCHED = [
    *(retrieved("covidqa", f"c{n}", {"vector": 2, "similarity": 2, "rank": 1}) for n in range(5)),
    *(retrieved("mtrag", f"m{n}", {"vector": 1, "similarity": 1, "rank": 1}) for n in range(5)),
    retrieved("piaf", "p1", {"keyword": 1, "rank": 1}, lang="fr"),
]
GRADED = [
    graded("squad2", "q1", [(4, 3.0), (2, 1.0), (1, 0.5)]),
    graded("squad2", "q2", [(4, 3.0), (0, 0.5)], split="dev"),
    graded("clapnq", "q3", [(4, 3.0), (0, 0.5)], split="dev"),
]
CAPTIONED = [
    captioned("piaf", "q4", caption=400, span=400, sentence=100),
    captioned("piaf", "q5", caption=100, span=100, sentence=100),
]
ALL = [*SEARCHED, *GRADED, *CAPTIONED]


def test_every_order_of_every_set_is_told_and_the_mean_below_its_sets() -> None:
    found = table_of(orders(gather(SEARCHED)), "orders-ndcg")

    assert list(found[0]) == ["Set", *ORDERS.values(), "Questions"]
    assert [line["Set"] for line in found] == ["covidqa", "mtrag", "mean of sets", "piaf"]
    assert [line["vectors alone"] for line in found] == ["0.631", "1.000", "0.815", "0.000"]
    assert [line["L2"] for line in found] == ["1.000"] * 4
    assert found[2]["Questions"] == "10"


@pytest.mark.parametrize("name", ["orders-recall", "orders-all-gold"])
def test_recall_and_all_gold_have_tables_of_their_own(name: str) -> None:
    found = table_of(orders(gather(SEARCHED)), name)

    assert [line["vectors alone"] for line in found] == ["1.000", "1.000", "1.000", "0.000"]


def test_gains_are_drawn_and_each_is_told_once() -> None:
    section = orders(gather(SEARCHED))

    drawn = table_of(section, "order-gain-forest")
    others = table_of(section, "order-gains")
    assert section is not None
    [plot] = [part for part in section.parts if isinstance(part, Plot)]
    assert "mean of sets, over similarity ranker: +18.5 points" in plot.alt
    keys = [(r["Measure"], r["L2 over"], r["Set"]) for r in (*drawn, *others)]
    assert len(keys) == len(set(keys)) == 2 * 3 * 4
    mean = next(r for r in drawn if r["Set"] == "mean of sets")
    assert (mean["Points"], mean["p"], mean["Questions"]) == ("+18.5", MISSING, "10")


def test_the_large_numbers_are_the_mean_gains_with_their_intervals() -> None:
    figures = order_figures(gather(SEARCHED))

    assert [figure.label for figure in figures] == [
        "L2 over best first stage",
        "L2 over each set's best",
        "L2 over similarity ranker",
    ]
    assert figures[0].value == "+18.5"
    assert "[18.5, 18.5], mean of sets, 10 questions" in figures[0].note


def test_one_set_alone_is_its_own_total_and_not_told_twice() -> None:
    few = SEARCHED[:1]
    section = orders(gather(few))

    assert section is not None
    assert [line["Set"] for line in table_of(section, "orders-ndcg")] == ["covidqa"]
    drawn = table_of(section, "order-gain-forest")
    assert [line["Set"] for line in drawn] == ["covidqa", "covidqa"]
    assert {line["95 % interval"] for line in drawn} == {MISSING}
    assert not any("mean of sets" in text for text in section.text)
    [plot] = [part for part in section.parts if isinstance(part, Plot)]
    assert "covidqa, over similarity ranker: +36.9 points" in plot.alt
    assert order_figures(gather(few))[0].note == "points of nDCG@10, covidqa, 1 question"


@pytest.mark.parametrize("alike", [True, False])
def test_an_l2_that_is_the_similarity_ranker_is_said_and_not_compared(*, alike: bool) -> None:
    places = {"vector": 2, "similarity": 1, "rank": 1}
    rows = [retrieved("covidqa", f"c{n}", places) for n in range(5)]
    rows += [] if alike else [retrieved("mtrag", "m1", {"similarity": 2, "rank": 1})]

    section = orders(gather(rows))

    assert section is not None
    said = any("L2 is the similarity ranker here" in text for text in section.text)
    over = {
        line["L2 over"]
        for name in ("order-gain-forest", "order-gains")
        for line in table_of(section, name)
    }
    labels = {figure.label for figure in order_figures(gather(rows))}
    assert said == alike
    assert ("similarity ranker" in over) == ("L2 over similarity ranker" in labels) == (not alike)


def test_gains_are_told_by_language_too() -> None:
    found = table_of(orders(gather(SEARCHED)), "order-gains-language")

    assert [(line["Set"], line["Points"]) for line in found] == [("en", "+18.5"), ("fr", "+0.0")]


def test_scores_are_told_by_what_they_mean() -> None:
    section = graded_chapter(gather(GRADED))

    [line] = table_of(section, "on-topic")
    assert (line["Set"], line["AUROC"]) == ("squad2", "1.000")
    assert [r["Group"] for r in table_of(section, "relevance-calibration")] == [
        "all",
        "en",
        "encyclopedia",
    ]
    left_out = table_of(section, "threshold-left-out")
    assert [r["Set"] for r in left_out if r["Threshold"] != "own"] == [
        "squad2",
        "mean of sets with a train split",
    ]
    assert left_out[0]["Has a train split"] == "yes"


@pytest.mark.parametrize(
    ("stated", "said"), [(True, "what the ranker states"), (False, "score / 4 is taken")]
)
def test_it_is_said_where_a_probability_comes_from(stated: bool, said: str) -> None:
    section = graded_chapter(gather([graded("squad2", "q1", [(4, 3.0)], probability=stated)]))

    assert section is not None
    [table] = section.parts
    assert table.name == "relevance-calibration"
    assert said in getattr(table, "note", "")


def test_captions_stand_beside_other_windows_of_the_same_passages() -> None:
    section = windows(gather(CAPTIONED))

    hits = table_of(section, "caption-windows")
    assert [line["Set"] for line in hits] == ["piaf"]
    assert [hits[0][name] for name in ("caption", "first 200 characters")] == ["100.0 %", "50.0 %"]
    gains = {line["Over"]: line["Points"] for line in table_of(section, "caption-gains")}
    assert gains == {
        "first 200 characters": "+50.0",
        "first 300 characters": "+50.0",
        "best lexical sentence": "+50.0",
    }


def test_captions_of_several_sets_have_a_mean() -> None:
    other = captioned("squad2", "q6", caption=100, span=900, sentence=100)

    hits = table_of(windows(gather([*CAPTIONED, other])), "caption-windows")

    assert [line["Set"] for line in hits] == ["piaf", "squad2", "mean of sets"]
    assert hits[2]["caption"] == "50.0 %"


def test_an_experiment_without_such_rows_has_none_of_these_chapters() -> None:
    sample = collected()

    assert [chapter(sample) for chapter in (orders, graded_chapter, windows)] == [None] * 3
    assert order_figures(sample) == []
    assert ranked_json(sample.ranked) is None


def test_the_summary_holds_the_same_numbers(tmp_path: Path) -> None:
    write_reports(write_run(tmp_path, ALL, run={**RUN, "experiment": "ranking"}))

    ranking = json.loads((tmp_path / "summary.json").read_text("utf-8"))["ranking"]

    assert [line["set"] for line in ranking["orders"]] == [
        "mean of sets",
        "covidqa",
        "mtrag",
        "piaf",
    ]
    assert ranking["orders"][0]["ndcg@10"]["vector"] == pytest.approx(0.8155, abs=1e-4)
    mean = next(g for g in ranking["gains"] if g["label"] == "mean of sets")
    assert (mean["order"], mean["p_value"]) == ("vectors alone", None)
    assert ranking["captions"][0]["window"] == "caption"
    assert ranking["captions"][1]["caption_gains"] == 0.5
    assert not ranking["probability_stated"]
    assert ranking["on_topic"][0]["auroc"] == 1.0
    report = (tmp_path / "report.md").read_text("utf-8")
    assert report.index("## Orders of the candidates") < report.index("## What scores mean")


@pytest.mark.parametrize("rows", [SEARCHED, GRADED, CAPTIONED], ids=["orders", "grades", "spans"])
def test_a_part_of_the_numbers_is_a_summary_too(rows: list[ResultRow]) -> None:
    found = ranked_json(ranked_of(*rows))

    assert found is not None
    assert json.loads(json.dumps(found, allow_nan=False)) == found
    assert bool(found["orders"]) == (rows is SEARCHED)
    assert bool(found["captions"]) == (rows is CAPTIONED)
