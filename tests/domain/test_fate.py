from typing import get_args

from headwater.domain.fate import REASONS, FateLedger, Reason


def test_the_reasons_listed_are_the_reasons_there_are() -> None:
    assert get_args(Reason) == REASONS


def test_a_ledger_balances_when_every_candidate_is_accounted_for() -> None:
    assert FateLedger(5, 2, {"access": 1, "budget": 2}).balanced
    assert FateLedger(0, 0, {}).balanced
    assert not FateLedger(5, 2, {"budget": 2}).balanced
    assert not FateLedger(2, 2, {"turn": 1}).balanced
