from dataclasses import replace

import pytest

from headwater.domain.errors import IndexVersionError
from headwater.sources.index import stamp
from headwater.sources.index.stamp import Stamp, analysis_version

STAMP = Stamp("model", 384, "whoosh", "abc")


def test_what_was_written_down_is_accepted() -> None:
    STAMP.check(STAMP.dumps(), path="state")


def test_a_difference_is_named_with_both_values() -> None:
    with pytest.raises(IndexVersionError, match="embedder 'model', now it is 'other'"):
        replace(STAMP, embedder="other").check(STAMP.dumps(), path="state")


def test_a_stamp_without_a_field_that_came_later_is_refused() -> None:
    with pytest.raises(IndexVersionError, match="None"):
        STAMP.check('{"embedder": "model", "dimensions": 384}', path="state")


def test_another_way_of_cutting_terms_has_another_version(monkeypatch: pytest.MonkeyPatch) -> None:
    before = analysis_version()
    assert before == analysis_version()
    monkeypatch.setattr(stamp, "terms", lambda text: text.split())
    assert analysis_version() != before
