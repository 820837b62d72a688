import pytest

from headwater.evaluation.data.guard import Purpose, allow
from headwater.evaluation.errors import DataError


@pytest.mark.parametrize(
    ("split", "purpose"),
    [
        ("train", "fit"),
        ("train", "tune"),
        ("dev", "tune"),
        ("train", "report"),
        ("dev", "report"),
        ("test", "report"),
    ],
)
def test_a_split_may_be_used_for_what_it_is_there_for(split: str, purpose: Purpose) -> None:
    allow(split, purpose)


@pytest.mark.parametrize(
    ("split", "purpose", "instead"),
    [("dev", "fit", "train"), ("test", "fit", "train"), ("test", "tune", "train or dev")],
)
def test_learning_from_what_is_reported_is_refused(
    split: str, purpose: Purpose, instead: str
) -> None:
    with pytest.raises(DataError, match=rf"{split}.* must not be used to {purpose}.*Use {instead}"):
        allow(split, purpose)


def test_an_unknown_split_is_refused_for_any_purpose() -> None:
    with pytest.raises(DataError, match=r"no split 'validation'.*train, dev, test"):
        allow("validation", "report")
