from hypothesis import given
from hypothesis import strategies as st

from headwater.domain.caption import TermWeights
from headwater.domain.extract import Excerpt, Quote, quotes

MANUAL = (
    "# X-200 manual\n\nThe X-200 is a slurry pump. Its shaft seal is replaced every 4,000 hours. "
    "Store it dry.\n\nTorques:\n- Flange bolts: 45 Nm\n- Cover: 12 Nm"
)


def best(query: str, *excerpts: Excerpt, top: int = 3) -> list[Quote]:
    return quotes(query, excerpts, TermWeights(e.text for e in excerpts), top=top)


def test_the_sentence_that_covers_the_query_comes_first() -> None:
    found = best("When is the shaft seal of the X-200 replaced?", Excerpt(1, MANUAL))

    assert found[0].text == "Its shaft seal is replaced every 4,000 hours."
    assert found[0].span.of(MANUAL) == found[0].text


def test_the_title_speaks_for_a_sentence_that_says_it() -> None:
    text = "It weighs forty kilograms without oil."
    named, unnamed = Excerpt(1, text, "X-200 manual"), Excerpt(2, text, "Other manual")

    assert best("How heavy is the X-200?", unnamed, named, top=1)[0].ref_id == 1


def test_a_list_item_brings_the_line_that_introduces_it() -> None:
    found = best("Which torque do the flange bolts need?", Excerpt(1, MANUAL), top=1)

    assert (found[0].lead, found[0].text) == ("Torques:", "Flange bolts: 45 Nm")


def test_a_table_row_brings_its_head() -> None:
    table = "| Model | Months |\n|---|---|\n| X-200 | 24 |\n| X-300 | 36 |"

    found = best("How many months for the X-300?", Excerpt(1, table), top=1)

    assert (found[0].lead, found[0].text) == ("| Model | Months |", "| X-300 | 36 |")


def test_headings_and_fragments_are_not_quoted() -> None:
    excerpt = Excerpt(
        1,
        "# Shaft seal\n\nShaft seal interval table\n\nAt this interval:\n\nSeals last for years.",
    )

    assert [q.text for q in best("shaft seal interval", excerpt)] == ["Seals last for years."]


def test_near_repeats_are_quoted_once() -> None:
    copy = MANUAL.replace("Its shaft seal", "The shaft seal")

    found = best("When is the shaft seal replaced?", Excerpt(1, MANUAL), Excerpt(2, copy))

    assert len(found) == 1


def test_both_sides_of_a_disagreement_are_quoted() -> None:
    other = Excerpt(2, MANUAL.replace("4,000", "6,000"))

    found = best("When is the shaft seal replaced?", Excerpt(1, MANUAL), other)

    assert [("4,000" in q.text, "6,000" in q.text) for q in found] == [(True, False), (False, True)]


def test_a_sentence_that_holds_a_citation_is_never_quoted() -> None:
    excerpt = Excerpt(1, "The seal is green, as said in [ref_id:9]. The seal is rather old.")

    assert [q.text for q in best("seal green", excerpt)] == ["The seal is rather old."]


def test_a_question_for_a_number_prefers_the_sentence_that_has_one() -> None:
    excerpt = Excerpt(1, "The seal of the pump lasts long. The seal of the pump lasts 9 years.")

    assert best("How long does the pump seal last?", excerpt, top=1)[0].text.endswith("9 years.")


def test_a_measure_of_the_kind_that_is_asked_for_is_preferred() -> None:
    table = "| property | value |\n|---|---|\n| length | 300 mm |\n| weight | 46 kg |"
    other = Excerpt(2, "The X-200 pump is delivered with 12 screws and a cover.")

    found = best("How much does the X-200 pump weigh?", other, Excerpt(1, table, "X-200"), top=1)

    assert found[0].text == "| weight | 46 kg |"


def test_the_same_property_of_another_thing_comes_after_that_of_the_one_asked_for() -> None:
    other, own = Excerpt(1, "Weight: 71 kg.", "X-300"), Excerpt(2, "Weight: 46 kg.", "X-200")

    found = best("How much does the X-200 weigh?", other, own)

    assert [q.text for q in found] == ["Weight: 46 kg."]


def test_fields_of_a_record_are_quoted_only_when_asked_for() -> None:
    record = Excerpt(1, "The pump leaks at the seal.\nid: T-7\nstatus: waiting for the seal now")

    assert [q.text for q in best("Where does the pump leak at the seal?", record)] == [
        "The pump leaks at the seal."
    ]
    assert best("What is its status?", record)[0].text.startswith("status:")


def test_the_sentences_behind_the_best_one_are_quoted_where_there_is_room() -> None:
    text = "The pump in hall nine shook badly. Its base was quite level. A new coupling cured it."

    assert len(best("Why did the pump in hall nine shake?", Excerpt(1, text))) == 3
    assert len(best("Why did the pump in hall nine shake?", Excerpt(1, text), top=1)) == 1


def test_a_row_that_fits_less_than_another_of_its_table_is_left_out() -> None:
    table = "| part | hours |\n|---|---|\n| shaft seal | 4000 |\n| oil filter | 3000 |"

    found = best("After how many hours is the shaft seal replaced?", Excerpt(1, table))

    assert [q.text for q in found] == ["| shaft seal | 4000 |"]


def test_the_sentence_that_leads_from_the_question_to_the_quote_is_quoted() -> None:
    answer = Excerpt(1, "Operating hours are in register 40021.", "Controller C-7")
    link = Excerpt(2, "| property | value |\n|---|---|\n| controller | C-7 |", "X-200")

    found = best("In which register are the operating hours of the X-200?", answer, link)

    assert {q.text for q in found} == {
        "Operating hours are in register 40021.",
        "| controller | C-7 |",
    }


def test_a_heading_glued_to_a_sentence_is_not_quoted_with_it() -> None:
    text = "Pump manual\nThe pump stands on a level base and is filled with clean water before use."

    assert best("Where does the pump stand?", Excerpt(1, text))[0].text.startswith("The pump")


def test_across_languages_the_score_of_the_passage_stands_in_for_words() -> None:
    french = "La cuve du D-40 est rincée toutes les deux semaines par le service."
    good, poor = Excerpt(1, french, score=0.9), Excerpt(2, french, score=0.1)
    english = Excerpt(3, "The hall of the machine is painted in a light colour.", score=0.5)

    found = best("How often is the tank of the D-40 machine to be rinsed?", poor, english, good)

    assert found[0].ref_id == 1
    assert found[0].coverage < 0.6


def test_a_long_list_without_marks_is_cut_into_its_lines() -> None:
    tools = "\n".join(f"W-{n} wrench for the flange bolts of pump number {n}" for n in range(1, 9))

    assert best("Which is W-3?", Excerpt(1, tools), top=1)[0].text == tools.split("\n")[2]


@given(st.lists(st.text("pump seal.!\n#|-*:24é泵。[]", max_size=120), max_size=4))
def test_quotes_are_verbatim_distinct_and_few(texts: list[str]) -> None:
    excerpts = [Excerpt(n, text) for n, text in enumerate(texts, 1)]

    found = best("pump seal 24", *excerpts)

    assert len(found) <= 3
    assert len({(q.ref_id, q.span) for q in found}) == len(found)
    assert all(q.span.of(texts[q.ref_id - 1]) == q.text for q in found)
    assert all(0.0 <= q.coverage <= 1.0 for q in found)
