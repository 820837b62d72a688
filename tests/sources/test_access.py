import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headwater.domain.passage import may_read
from headwater.domain.request import Identity
from headwater.sources.access import (
    MAX_SIDECAR_BYTES,
    AccessListError,
    combine,
    parse_field,
    parse_sidecar,
)

NAMES = st.lists(st.sampled_from(["group:hr", "group:it", "user:ada", "user:bo"]), unique=True)
LISTS = st.none() | NAMES


def test_a_bare_word_is_a_group() -> None:
    assert parse_field(["hr", "user:ada", "group:it"]) == ["group:hr", "group:it", "user:ada"]


def test_a_name_in_any_form_of_its_letters_admits_who_bears_it() -> None:
    whole, apart = (unicodedata.normalize(form, "Équipe") for form in ("NFC", "NFD"))
    assert whole != apart
    for listed, borne in ((whole, apart), (apart, whole)):
        assert may_read(parse_field([listed]), Identity(groups=[borne]).principals)
        assert may_read(parse_sidecar(listed.encode()), Identity(groups=[borne]).principals)


def test_a_text_may_hold_several_principals() -> None:
    assert parse_field("hr, user:ada") == parse_field("[hr, user:ada]") == ["group:hr", "user:ada"]


def test_an_empty_list_means_nobody() -> None:
    assert parse_field([]) == parse_field("[]") == parse_sidecar(b"") == []
    assert not may_read(parse_field([]), frozenset({"group:hr", "user:ada"}))


def test_a_sidecar_is_one_principal_a_line_with_comments() -> None:
    raw = "\ufeff# people department\nhr\r\n\n user:ada@example.org , Human Resources\n".encode()

    assert parse_sidecar(raw) == ["group:Human Resources", "group:hr", "user:ada@example.org"]


@pytest.mark.parametrize(
    "value",
    [None, "", " ", True, 7, {"group": "hr"}, ["role:boss"], [["hr"]], ["a:b:c"], [""], "*"],
)
def test_a_field_that_cannot_be_understood_is_an_error(value: object) -> None:
    with pytest.raises(AccessListError):
        parse_field(value)


@pytest.mark.parametrize(
    "raw", [b"\xff\xfe\x00", b"role:boss", b"hr\nall of them!", b"a" * (MAX_SIDECAR_BYTES + 1)]
)
def test_a_sidecar_that_cannot_be_understood_is_an_error(raw: bytes) -> None:
    with pytest.raises(AccessListError):
        parse_sidecar(raw)


@given(LISTS, LISTS, st.frozensets(st.sampled_from(["group:hr", "group:it", "user:ada"])))
def test_who_may_read_under_both_may_read_under_each(
    outer: list[str] | None, inner: list[str] | None, reader: frozenset[str]
) -> None:
    if may_read(combine(outer, inner), reader):
        assert may_read(outer, reader)
        assert may_read(inner, reader)


@given(LISTS)
def test_no_second_list_changes_nothing(access: list[str] | None) -> None:
    assert combine(access, None) == combine(None, access) == access
