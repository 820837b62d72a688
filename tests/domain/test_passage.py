import pytest
from hypothesis import given
from hypothesis import strategies as st

from headwater.domain.passage import Passage, id_of, may_read, passage_key, source_of

ADA = frozenset(["user:ada", "group:hr"])


@given(st.text(st.characters(exclude_characters=":")), st.text())
def test_a_key_gives_back_source_and_id_even_of_an_id_with_colons(source: str, name: str) -> None:
    key = passage_key(source, name)

    assert (source_of(key), id_of(key)) == (source, name)
    assert Passage(source, name, "text").key == key


@pytest.mark.parametrize(
    ("access", "principals", "allowed"),
    [
        (None, frozenset(), True),
        (None, ADA, True),
        ([], ADA, False),
        ([], frozenset(), False),
        (["group:hr"], ADA, True),
        (["group:hr"], frozenset(), False),
        (["group:it", "user:bob"], ADA, False),
        (["ada"], ADA, False),
    ],
)
def test_access_fails_closed(
    access: list[str] | None, principals: frozenset[str], allowed: bool
) -> None:
    assert may_read(access, principals) is allowed
