"""What the training makes small: how far the logits of a list are from its grades.

All losses take `logits` and `grades`, both (n,), of several lists one after the other, and
`sizes`, how many pairs each list has.

Origin: Cao et al. 2007, "Learning to Rank: From Pairwise Approach to Listwise Approach" (the
softmax over a list); Joachims 2002, "Optimizing Search Engines using Clickthrough Data" (the
hinge between two passages).
"""

from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias

import torch
from torch import Tensor
from torch.nn.functional import binary_cross_entropy_with_logits, log_softmax

from ..grades import SHARES

Loss: TypeAlias = Callable[[Tensor, Tensor, Sequence[int]], Tensor]

CHANCES = (0.0, 0.05, 0.15, 0.8, 1.0)
"""P(grade >= 3) that the logit of a passage labelled with each grade should stand for: labels
are not always right, and those derived by a rule less often."""

CHANCE_WEIGHT = 0.3
"""Of the loss on each pair alone, beside that on the list."""

STEP = 1.0
"""How far the logits of two grades should lie apart, a grade."""


def listwise(logits: Tensor, grades: Tensor, sizes: Sequence[int]) -> Tensor:
    """Cross entropy between the shares by grade and the softmax over each list.

    A list in which no passage has a share does not count.
    """
    shares = logits.new_tensor(SHARES)[grades]
    losses = [
        -(share / share.sum() * log_softmax(found, dim=0)).sum()
        for found, share in zip(_lists(logits, sizes), _lists(shares, sizes), strict=True)
        if share.sum() > 0
    ]
    return torch.stack(losses).mean() if losses else logits.sum() * 0.0


def margin(logits: Tensor, grades: Tensor, sizes: Sequence[int]) -> Tensor:
    """Mean hinge over all pairs of different grade in each list, then over the lists."""
    losses = []
    for found, grade in zip(_lists(logits, sizes), _lists(grades, sizes), strict=True):
        wanted = STEP * (grade.unsqueeze(1) - grade.unsqueeze(0)).float()
        higher = wanted > 0
        if bool(higher.any()):
            apart = found.unsqueeze(1) - found.unsqueeze(0)
            losses.append(torch.relu(wanted - apart)[higher].mean())
    return torch.stack(losses).mean() if losses else logits.sum() * 0.0


def chance(logits: Tensor, grades: Tensor, _sizes: Sequence[int]) -> Tensor:
    """Binary cross entropy between each logit and the chance that the passage answers."""
    return binary_cross_entropy_with_logits(logits, logits.new_tensor(CHANCES)[grades])


def _lists(values: Tensor, sizes: Sequence[int]) -> tuple[Tensor, ...]:
    return torch.split(values, list(sizes))


def _with_chance(loss: Loss) -> Loss:
    def both(logits: Tensor, grades: Tensor, sizes: Sequence[int]) -> Tensor:
        return loss(logits, grades, sizes) + CHANCE_WEIGHT * chance(logits, grades, sizes)

    return both


LOSSES: Mapping[str, Loss] = {
    "listwise": _with_chance(listwise),
    "margin": _with_chance(margin),
    "bce": chance,
}
"""By the name the command knows them by."""
