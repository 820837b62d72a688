from concurrent.futures import ThreadPoolExecutor

import pytest

from headwater.sources.language import detect

QUESTIONS = [
    ("Which pumps share the seal of the X-200?", "en"),
    ("Quelles pompes utilisent le joint de la X-200 ?", "fr"),
    ("Welche Pumpen haben dieselbe Dichtung wie die X-200?", "de"),
    ("¿Qué bombas comparten la junta de la X-200?", "es"),
    ("哪些水泵与X-200使用相同的密封件？", "zh"),
    ("X-200と同じシールを使うポンプはどれですか", "ja"),
    ("X-200과 같은 씰을 쓰는 펌프는 무엇입니까", "ko"),
]


@pytest.mark.parametrize(("question", "language"), QUESTIONS)
def test_a_question_shows_its_language(question: str, language: str) -> None:
    assert detect(question) == language


@pytest.mark.parametrize("text", ["", "   ", "12.5 / 37", "X-200", "?!…", "🎉🎉", "ok"])
def test_what_is_too_short_has_no_language(text: str) -> None:
    assert detect(text) is None


def test_a_foreign_name_does_not_make_a_text_chinese() -> None:
    assert detect("The company 华为 opened an office in Lyon in the spring of last year.") == "en"


def test_a_single_chinese_word_is_chinese() -> None:
    assert detect("密封") == "zh"


def test_lone_surrogates_do_no_harm() -> None:
    assert detect("Which pumps share the seal \ud800 of the other pump?") == "en"


def test_threads_agree() -> None:
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(detect, [question for question, _ in QUESTIONS] * 20))

    assert found == [language for _, language in QUESTIONS] * 20
