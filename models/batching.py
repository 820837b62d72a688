"""Batches of texts of like length, so that little of what a model computes is padding."""

from collections.abc import Sequence


def token_batches(lengths: Sequence[int], *, tokens: int) -> list[list[int]]:
    """Group the places of `lengths`, longest first, ties in the order given.

    Padded to its longest text, a group holds at most `tokens` tokens; a text that is longer than
    that is alone in its group. The groups depend on the lengths only, and the first is the one
    that needs the most memory.
    """
    order = sorted(range(len(lengths)), key=lambda place: -lengths[place])
    groups: list[list[int]] = []
    start = 0
    while start < len(order):
        size = max(1, tokens // max(1, lengths[order[start]]))
        groups.append(order[start : start + size])
        start += size
    return groups
