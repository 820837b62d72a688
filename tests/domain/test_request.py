import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, ValidationError

from headwater.domain.request import Identity, Overrides, Turn


def test_nobody_has_no_principals() -> None:
    assert Identity().principals == frozenset()
    assert Identity(user="").principals == frozenset()


def test_users_and_groups_cannot_be_mistaken_for_each_other() -> None:
    assert Identity(user="hr").principals == {"user:hr"}
    assert Identity(groups=["hr", "hr"]).principals == {"group:hr"}
    assert Identity(user="ada", groups=["hr"]).principals == {"user:ada", "group:hr"}


@pytest.mark.parametrize("model", [Turn, Identity, Overrides])
def test_unknown_fields_are_refused(model: type[BaseModel]) -> None:
    with pytest.raises(ValidationError, match="Extra inputs"):
        model.model_validate(
            {"role": "user", "content": "x", "efort": 1} if model is Turn else {"efort": 1}
        )


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("max_sub_queries", 0),
        ("max_sub_queries", 11),
        ("max_sources", 11),
        ("candidates", 201),
        ("rank_depth", 0),
        ("classify_depth", 51),
        ("ranker_threshold", 4.1),
        ("ranker_threshold", float("nan")),
        ("classifier_threshold", -0.1),
        ("exit_threshold", 1.1),
        ("max_rounds", 3),
        ("content_budget", 0),
        ("content_budget", 200_001),
        ("output", "poem"),
        ("answer_instructions", "x" * 10_001),
    ],
)
def test_overrides_out_of_bounds_are_refused(field: str, value: object) -> None:
    with pytest.raises(ValidationError, match=field):
        Overrides.model_validate({field: value})


def test_overrides_say_nothing_unless_told() -> None:
    assert set(Overrides().model_dump().values()) == {None}


@pytest.mark.parametrize("role", ["system", "tool", ""])
def test_a_turn_is_of_the_user_or_the_assistant(role: str) -> None:
    with pytest.raises(ValidationError):
        Turn.model_validate({"role": role, "content": "x"})


@given(st.text(max_size=50))
def test_what_was_dumped_is_read_back(content: str) -> None:
    turn = Turn(role="user", content=content)

    assert Turn.model_validate(turn.model_dump()) == turn


def test_a_request_cannot_be_changed_afterwards() -> None:
    with pytest.raises(ValidationError, match="frozen"):
        Identity(user="ada").user = "bob"  # type: ignore[misc]  # refused when run as well
