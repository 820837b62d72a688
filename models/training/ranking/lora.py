"""LoRA training proper: of each matrix only two small factors are learned.

The alternative to training all of the encoder and cutting what was learned to a low rank. Takes
less memory; biases, layer norms and the head are learned as in the other way.

Origin: Hu et al. 2021, arXiv:2106.09685, by the package `peft`.
"""

from typing import TYPE_CHECKING

from ....domain.errors import ConfigurationError
from ...ranker.network import CrossEncoder
from .export import TARGETS

if TYPE_CHECKING:
    from peft import LoraModel

LOW_RANK_RATE = 1e-3
"""Highest rate: factors that start from nought need a higher one than whole matrices."""


class LowRank:
    """Factors beside the matrices of a model's encoder, until they are merged."""

    def __init__(self, model: CrossEncoder, rank: int) -> None:
        """Freeze the matrices and put factors beside them.

        Raises:
            ConfigurationError: peft is not installed.
        """
        self._model = model
        self._layers = _inject(model, rank)
        for name, parameter in model.encoder.named_parameters():
            parameter.requires_grad_("lora_" in name or parameter.ndim < 2)

    def merge(self) -> None:
        """Add the products of the factors to the matrices; the model is as if trained whole."""
        self._layers.merge_and_unload()
        self._model.freeze_tables()


def _inject(model: CrossEncoder, rank: int) -> "LoraModel":
    try:
        from peft import LoraConfig, LoraModel
    except ImportError as error:
        raise ConfigurationError(
            "The method 'lora' needs peft.", fix="Install it with: pip install 'headwater[train]'"
        ) from error
    config = LoraConfig(r=rank, lora_alpha=rank, target_modules=TARGETS)
    return LoraModel(model.encoder, config, "default")
