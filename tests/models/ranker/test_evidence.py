import json
import subprocess
import sys
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headwater.domain.errors import ConfigurationError
from headwater.domain.ports import Scorable
from headwater.models.ranker.evidence import (
    LEXICAL_FEATURES,
    MAX_CHARS,
    LexicalEvidence,
    QueryTerms,
    TermWeights,
    background_weights,
    evidence_of,
    features_of,
    lexical_evidence,
    read_term_weights,
)

PLAIN = TermWeights({"pump": 1.0, "valve": 1.0, "torque": 3.0}, 6.0, 10.0)
words = st.sampled_from(
    ["pump", "valve", "torque", "the", "X-200", "泵压", "阀门", "été", "42", "."]
)
texts = st.lists(words, max_size=60).map(" ".join) | st.text(max_size=80)
passages = st.builds(Scorable, text=texts, title=texts, heading=texts)


def evidence(query: str, passage: Scorable) -> LexicalEvidence:
    return evidence_of(QueryTerms.of(query, PLAIN), passage, PLAIN)


@given(texts, passages)
def test_all_evidence_is_a_share(query: str, passage: Scorable) -> None:
    found = features_of(lexical_evidence(query, passage))

    assert tuple(found) == LEXICAL_FEATURES
    assert all(0.0 <= value <= 1.0 for value in found.values())


@given(texts, st.lists(passages, max_size=5), passages)
def test_evidence_does_not_depend_on_what_was_read_before(
    query: str, others: list[Scorable], passage: Scorable
) -> None:
    alone = lexical_evidence(query, passage)
    for other in others:
        lexical_evidence(query, other)
        lexical_evidence(other.text, passage)

    assert lexical_evidence(query, passage) == alone


@given(texts)
def test_text_without_words_gives_no_evidence(query: str) -> None:
    for blank in ("", " \n\t", "!? —"):
        assert not any(features_of(lexical_evidence(query, Scorable(blank))).values())
        assert not any(features_of(lexical_evidence(blank, Scorable(query))).values())


@given(texts, texts)
def test_repeating_a_word_of_the_query_never_lessens_what_is_covered(query: str, text: str) -> None:
    before = evidence(query, Scorable(text))
    after = evidence(query, Scorable(f"{text}\n{query}"))

    assert after.covered >= before.covered
    assert after.together >= before.together


def test_a_rare_word_tells_more_than_a_usual_one() -> None:
    rare = evidence("pump torque", Scorable("the torque is set"))
    usual = evidence("pump torque", Scorable("the pump is set"))

    assert rare.covered == pytest.approx(0.75)
    assert usual.covered == pytest.approx(0.25)
    assert rare.rare_covered == pytest.approx(0.9)
    assert rare.lexical > usual.lexical > 0.0


def test_a_word_that_no_list_has_tells_most() -> None:
    assert PLAIN("zebrafish") == 6.0


def test_more_mentions_tell_more_and_a_long_passage_less() -> None:
    once, often = Scorable("pump " + "seal " * 9), Scorable("pump pump pump " + "seal " * 7)
    long = Scorable("pump " + "seal " * 99)

    scores = [evidence("pump", passage).lexical for passage in (long, once, often)]

    assert scores == sorted(scores)
    assert scores[0] < scores[1] < scores[2] < 1.0


def test_the_lexical_score_is_that_of_bm25() -> None:
    """One mention in a passage of the usual length: 1 / (1 + k1)."""
    found = evidence("torque", Scorable("torque" + " seal" * 9))

    assert found.lexical == pytest.approx(1.0 / 2.2)


def test_title_and_heading_count_apart_and_together_with_the_text() -> None:
    found = evidence("pump valve", Scorable("the valve", title="Pumps", heading="Service"))

    assert found.title_lexical == 0.5
    assert found.covered == 1.0


def test_words_far_apart_are_not_together() -> None:
    near = evidence("pump valve", Scorable("pump valve" + " seal" * 40))
    far = evidence("pump valve", Scorable("pump" + " seal" * 40 + " valve"))

    assert (near.together, far.together) == (1.0, 0.5)
    assert near.covered == far.covered


def test_neighbours_in_the_query_are_looked_for_side_by_side() -> None:
    side = evidence("torque valve", Scorable("set the torque valve"))
    turned = evidence("torque valve", Scorable("set the valve torque"))

    assert (side.phrases, turned.phrases) == (1.0, 0.0)


def test_chinese_is_compared_by_pairs_of_characters() -> None:
    found = lexical_evidence("保修期多长?", Scorable("保修期为两年。", language="zh"))
    other = lexical_evidence("保修期多长?", Scorable("请联系客服。", language="zh"))

    assert found.covered > 0.3 > other.covered == 0.0


def test_another_language_is_marked_where_both_are_known() -> None:
    query = "how do I adjust the pump in the hall?"

    found = [lexical_evidence(query, Scorable("x", language=name)).foreign
             for name in ("fr", "en", None)]  # fmt: skip

    assert found == [1.0, 0.0, 0.0]


def test_a_text_of_a_megabyte_is_read_only_in_part() -> None:
    inside, outside = "x " * 10 + "pump", "x " * (MAX_CHARS // 2) + "pump" + " x" * 500_000
    started = time.process_time()

    found = [evidence("pump", Scorable(text)).covered for text in (inside, outside)]

    assert found == [1.0, 0.0]
    assert time.process_time() - started < 1.0


def test_the_weights_of_the_package_know_common_words_from_rare_ones() -> None:
    weights = background_weights()

    assert weights("use") < weights("contract") < weights("zebrafish")
    assert weights("中国") < weights("阀门")
    assert weights("zxqv-unheard-of") == weights.unknown == max(weights.weights.values())


def test_the_weights_are_not_read_before_they_are_needed() -> None:
    code = (
        "from headwater.models.ranker import evidence\n"
        "assert evidence.background_weights.cache_info().currsize == 0\n"
        "assert evidence.background_weights() is evidence.background_weights()\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)


GOOD = {"unknown": 6.0, "mean_terms": 90.0, "weights": {"1.5": "pump valve", "3.0": "torque"}}


def test_weights_are_read_as_they_are_listed() -> None:
    found = read_term_weights(json.loads(json.dumps(GOOD)))

    assert found.weights == {"pump": 1.5, "valve": 1.5, "torque": 3.0}
    assert found("seal") == 6.0


@pytest.mark.parametrize(
    "wrong",
    [
        {"unknown": None},
        {"unknown": 0.0},
        {"mean_terms": [1.0, 2.0]},
        {"mean_terms": -5.0},
        {"weights": {}},
        {"weights": ["pump"]},
        {"weights": {"much": "pump"}},
        {"weights": {"1.0": 3}},
        {"weights": {"nan": "pump"}},
        {"weights": {"-1": "pump"}},
    ],
)
def test_damaged_weights_are_refused(wrong: dict[str, object]) -> None:
    with pytest.raises(ConfigurationError):
        read_term_weights({**GOOD, **wrong})
