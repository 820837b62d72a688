import re
import string
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headwater.evaluation.measures.squad import answer_tokens, contains, exact, f1

english = st.text(alphabet=string.ascii_letters + string.punctuation + "  aeth", max_size=30)


def reference_tokens(text: str) -> list[str]:
    """The published normalisation: lower, no punctuation, no articles, white space fixed."""
    bare = "".join(c for c in text.lower() if c not in set(string.punctuation))
    return re.sub(r"\b(a|an|the)\b", " ", bare).split()


def reference_f1(answer: str, truth: str) -> float:
    said, wanted = reference_tokens(answer), reference_tokens(truth)
    common = sum((Counter(said) & Counter(wanted)).values())
    if not said or not wanted:
        return float(said == wanted)
    if not common:
        return 0.0
    precision, recall = common / len(said), common / len(wanted)
    return 2 * precision * recall / (precision + recall)


@given(english, english)
def test_english_is_compared_as_the_published_script_does(answer: str, truth: str) -> None:
    assert list(answer_tokens(answer)) == reference_tokens(answer)
    assert exact(answer, [truth]) == float(reference_tokens(answer) == reference_tokens(truth))
    assert f1(answer, [truth]) == pytest.approx(reference_f1(answer, truth))


def test_f1_by_hand() -> None:
    # "ada wrote it" against "ada lovelace": one token shared of three and two.
    assert f1("Ada wrote it.", ["the Ada Lovelace"]) == pytest.approx(2 / 5)
    assert f1("Ada", ["nobody", "Ada"]) == 1.0
    assert f1("Ada", []) == 0.0


def test_chinese_is_compared_by_characters() -> None:
    assert answer_tokens("天正16年。", "zh") == ("天", "正", "16", "年")
    assert f1("天正年", ["天正16年"], "zh") == pytest.approx(2 * 3 / 7)
    assert exact("《天正》16年", ["天正16年"], "zh") == 1.0


def test_french_articles_and_their_apostrophe_do_not_count() -> None:
    assert exact("l'école", ["École"], "fr") == 1.0
    assert exact("une école", ["l’école"], "fr") == 1.0


def test_a_reference_is_contained_by_whole_tokens() -> None:
    assert contains("I do not know.", ["no"]) == 0.0
    assert contains("It was Ada, the Countess!", ["ada countess"]) == 1.0
    assert contains("Countess Ada", ["Ada Countess"]) == 0.0
    assert contains("anything", ["the"]) == 0.0
    assert contains("于天正16年", ["天正16年"], "zh") == 1.0
    assert contains("天正160年", ["天正16年"], "zh") == 0.0


@given(st.text(max_size=20), st.text(max_size=20), st.sampled_from(["en", "fr", "zh", "de"]))
def test_agreement_stays_in_range_and_a_text_agrees_with_itself(
    answer: str, truth: str, lang: str
) -> None:
    assert 0.0 <= f1(answer, [truth], lang) == f1(truth, [answer], lang) <= 1.0
    assert f1(answer, [answer], lang) == exact(answer, [answer], lang) == 1.0
    if exact(answer, [truth], lang) and answer_tokens(answer, lang):
        assert contains(answer, [truth], lang) == 1.0
