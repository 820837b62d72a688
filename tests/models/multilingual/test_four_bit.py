import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from headwater.models.multilingual.four_bit import BLOCK_BYTES, FourBitMatrix, decoded
from tests.models.multilingual.written import four_bits


def test_a_block_written_by_hand_decodes() -> None:
    block = np.float16(0.5).tobytes() + bytes([0x8F] + [0x88] * 14 + [0x08])

    (row,) = decoded(np.frombuffer(block, np.uint8)[None])

    assert row.tolist() == [3.5] + [0.0] * 14 + [0.0] + [0.0] * 15 + [-4.0]


@given(
    arrays(np.int64, (6, 32), elements=st.integers(-8, 7)),
    arrays(np.float16, 6, elements=st.floats(0, 4, width=16)),
)
def test_what_was_packed_comes_out(numbers: np.ndarray, scales: np.ndarray) -> None:
    packed = np.frombuffer(four_bits(numbers, scales), np.uint8)

    found = decoded(packed.reshape(3, 2 * BLOCK_BYTES))

    expected = (numbers * scales[:, None].astype(np.float32)).reshape(3, 64)
    assert found == pytest.approx(expected)


def test_rows_on_demand_are_those_of_the_whole() -> None:
    blocks = np.random.default_rng(2).integers(0, 60, (9, 2 * BLOCK_BYTES)).astype(np.uint8)
    matrix = FourBitMatrix(blocks)

    assert matrix.shape == (9, 64)
    assert matrix.rows([7, 0, 7]).tolist() == matrix.whole()[[7, 0, 7]].tolist()
    assert matrix.rows([]).shape == (0, 64)
