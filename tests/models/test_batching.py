from hypothesis import given
from hypothesis import strategies as st

from headwater.models.batching import token_batches

LENGTHS = st.lists(st.integers(0, 600), max_size=80)


@given(LENGTHS, st.integers(1, 4_000))
def test_every_place_is_in_one_batch(lengths: list[int], tokens: int) -> None:
    batches = token_batches(lengths, tokens=tokens)

    assert sorted(place for batch in batches for place in batch) == list(range(len(lengths)))
    assert all(batches)


@given(LENGTHS, st.integers(1, 4_000))
def test_a_padded_batch_keeps_to_its_tokens_unless_one_text_is_longer(
    lengths: list[int], tokens: int
) -> None:
    for batch in token_batches(lengths, tokens=tokens):
        width = max(lengths[place] for place in batch)
        assert len(batch) == 1 or len(batch) * width <= tokens


@given(LENGTHS, st.integers(1, 4_000))
def test_the_longest_come_first_and_ties_keep_their_order(lengths: list[int], tokens: int) -> None:
    flat = [place for batch in token_batches(lengths, tokens=tokens) for place in batch]

    assert flat == sorted(range(len(lengths)), key=lambda place: (-lengths[place], place))


@given(LENGTHS, st.integers(1, 4_000))
def test_no_batch_could_take_the_next_text_as_well(lengths: list[int], tokens: int) -> None:
    batches = token_batches(lengths, tokens=tokens)

    for batch in batches[:-1]:
        assert (len(batch) + 1) * max(1, lengths[batch[0]]) > tokens


def test_sorting_saves_padding() -> None:
    lengths = [10, 200] * 16
    padded = sum(
        len(batch) * max(lengths[place] for place in batch)
        for batch in token_batches(lengths, tokens=1_600)
    )

    assert padded == sum(lengths)
