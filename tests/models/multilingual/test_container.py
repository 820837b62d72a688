from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from headwater.domain.errors import ConfigurationError
from headwater.models.multilingual.bert_weights import bert_weights
from headwater.models.multilingual.container import Head, open_container
from tests.models.multilingual.written import HIDDEN, PIECES, POSITIONS, write_container


def test_head_pieces_and_tensors_are_read(tmp_path: Path) -> None:
    container = open_container(write_container(tmp_path / "small.bin"))

    assert container.head == Head(32, 2, 4, 64, 8, 10, 2, float(np.float32(1e-12)))
    assert container.vocabulary.pieces == PIECES
    assert container.vocabulary.scores == [0, -1, -2, -3, -4, -5, -6]
    known = container.vocabulary
    assert (known.start, known.end, known.pad, known.unknown) == (0, 2, 1, 3)
    assert container.floats("emb.pos").shape == (POSITIONS * HIDDEN,)
    assert container.matrix("l1.fo.w", 64).shape == (HIDDEN, 64)


@pytest.mark.parametrize(("magic", "version"), [(b"GGUF", 1), (b"E5S1", 2)])
def test_another_kind_of_file_is_refused(magic: bytes, version: int, tmp_path: Path) -> None:
    path = write_container(tmp_path / "other.bin", magic=magic, version=version)

    with pytest.raises(ConfigurationError, match="is damaged: it begins with"):
        open_container(path)


def test_a_tensor_that_is_not_there_is_named(tmp_path: Path) -> None:
    container = open_container(write_container(tmp_path / "small.bin"))

    with pytest.raises(ConfigurationError, match=r"'l9\.q\.b'"):
        container.floats("l9.q.b")
    with pytest.raises(ConfigurationError, match=r"'emb\.word'"):
        container.floats("emb.word")
    with pytest.raises(ConfigurationError, match="no rows of 96 numbers"):
        container.matrix("emb.word", 96)


@pytest.mark.parametrize("content", [None, b"", b"E5"])
def test_a_file_that_cannot_be_read_says_so(content: bytes | None, tmp_path: Path) -> None:
    path = tmp_path / "small.bin"
    if content is not None:
        path.write_bytes(content)

    with pytest.raises(ConfigurationError, match=r"small\.bin"):
        open_container(path)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(kept=st.floats(0, 1, exclude_max=True), junk=st.binary(max_size=8))
def test_a_file_cut_anywhere_is_damaged_and_nothing_else(
    kept: float, junk: bytes, tmp_path: Path
) -> None:
    whole = write_container(tmp_path / "small.bin").read_bytes()
    (tmp_path / "cut.bin").write_bytes(whole[: int(kept * (len(whole) - 8))] + junk)

    with pytest.raises(ConfigurationError):
        _read_all(tmp_path / "cut.bin")


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(place=st.integers(0, 400), value=st.integers(0, 255))
def test_a_changed_byte_ends_in_numbers_or_in_our_error(
    place: int, value: int, tmp_path: Path
) -> None:
    content = bytearray(write_container(tmp_path / "small.bin").read_bytes())
    content[place] = value
    (tmp_path / "changed.bin").write_bytes(content)

    try:
        found = _read_all(tmp_path / "changed.bin")
    except ConfigurationError:
        return
    assert all(value.dtype == np.float32 for value in found.values())


def _read_all(path: Path) -> dict[str, np.ndarray]:
    container = open_container(path)
    assert container.vocabulary.pieces
    return bert_weights(container, words=True)
