import pytest

from headwater.domain.language import comparable, language_hint


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("The warranty of the pump is 24 months.", "en"),
        ("La garantie de la pompe est de 24 mois pour les joints.", "fr"),
        ("Die Garantie der Pumpe ist nicht für die Dichtung.", "de"),
        ("La garantía del motor es de dos años para los clientes.", "es"),
        ("泵的保修期为24个月。", "zh"),
        ("ポンプの保証は二年です。", "ja"),
        ("펌프 보증 기간은 2년입니다.", "ko"),
        ("X-200: 24", None),
    ],
)
def test_script_and_function_words_tell_the_language(text: str, language: str | None) -> None:
    assert language_hint(text) == language


def test_unknown_languages_are_compared() -> None:
    assert comparable("X-200: 24 V", "Die Spannung ist nicht auf dem Schild.")
    assert not comparable("The voltage is on the plate.", "Die Spannung ist nicht auf dem Schild.")


def test_a_chinese_name_in_an_english_sentence_does_not_make_it_chinese() -> None:
    assert language_hint("The company 海川 is in the north of the country.") == "en"
