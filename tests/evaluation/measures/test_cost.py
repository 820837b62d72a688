from headwater.evaluation.measures.cost import (
    Cost,
    content_tokens,
    costs,
    elapsed_ms,
    model_calls,
    model_tokens,
)
from tests.evaluation.rows import piece, row


def test_a_step_that_did_not_run_takes_no_part_in_its_mean() -> None:
    found = costs(
        [
            row(step_ms={"rank": 10.0, "plan": 1.0}, tokens={"chat": [7, 2]}, calls={"chat": 1}),
            row(step_ms={"plan": 3.0}, calls={}),
            row(step_ms={"plan": 8.0}, calls={}),
            row(error="boom", step_ms={"plan": 99.0}),
        ]
    )

    assert found == [
        Cost(name="plan", quantity="ms", n=3, mean=4.0, median=3.0),
        Cost(name="rank", quantity="ms", n=1, mean=10.0, median=10.0),
        Cost(name="chat", quantity="calls", n=1, mean=1.0, median=1.0),
        Cost(name="chat", quantity="input_tokens", n=1, mean=7.0, median=7.0),
        Cost(name="chat", quantity="output_tokens", n=1, mean=2.0, median=2.0),
    ]


def test_the_sums_of_a_question() -> None:
    one = row(
        tokens={"chat": [7, 2], "judge": [1, 1]},
        calls={"chat": 1, "ranker": 4},
        content=[piece(tokens=30), piece(tokens=12)],
    )

    assert elapsed_ms(one) == 10.0
    assert content_tokens(one) == 42.0
    assert model_tokens(one) == 11.0
    assert model_calls(one) == 5.0


def test_what_nobody_counted_is_unscored() -> None:
    assert model_tokens(row(tokens={})) is None
    assert model_calls(row(calls={})) is None
    assert elapsed_ms(row(elapsed_ms=None)) is None
    assert content_tokens(row(content=[])) == 0.0
