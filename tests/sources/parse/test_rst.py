from headwater.sources.parse.rst import split_rst


def outline(text: str) -> list[tuple[list[str], str]]:
    return [(section.heading, section.text) for section in split_rst(text)]


def test_levels_follow_the_order_of_the_styles() -> None:
    top = "====\nPump\n====\n\nintro\n\nSeals\n-----\n\none\n\n"
    text = top + "Deep\n~~~~\ntwo\n\nMotor\n-----\nthree\n"

    assert outline(text) == [
        (["Pump"], "intro"),
        (["Pump", "Seals"], "one"),
        (["Pump", "Seals", "Deep"], "two"),
        (["Pump", "Motor"], "three"),
    ]


def test_a_line_above_makes_another_style() -> None:
    assert outline("===\nTop\n===\n\nNext\n====\ntext") == [(["Top", "Next"], "text")]


def test_tables_transitions_and_short_rules_are_text() -> None:
    table = "=====  =====\na      b\n=====  =====\n1      2\n=====  ====="

    assert outline(table) == [([], table)]
    assert outline("one\n\n----\n\ntwo") == [([], "one\n\n----\n\ntwo")]
    assert outline("A long title\n--\ntext") == [([], "A long title\n--\ntext")]


def test_text_without_headings_is_one_section() -> None:
    assert outline("just text") == [([], "just text")]
    assert outline("") == []
