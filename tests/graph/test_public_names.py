"""What the folder offers by name."""

import pytest

from headwater import graph


@pytest.mark.parametrize("name", graph.__all__)
def test_every_public_name_leads_to_its_home(name: str) -> None:
    home = getattr(graph, name).__module__

    assert home.startswith("headwater.graph.")


def test_another_name_is_not_there() -> None:
    with pytest.raises(AttributeError, match="'Grpah'"):
        _ = graph.Grpah
