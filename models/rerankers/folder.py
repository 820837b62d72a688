"""What the files in a reranker's folder say about it, before any weights are read."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from ...domain.errors import ConfigurationError

Head = Literal["one label", "two labels", "yes or no"]

MAX_TOKENS = 512
"""Of query and passage together. More is read through several windows, also by models that could
take it at once: rerankers are trained on pairs of about this length."""

_OFFSET = frozenset({"camembert", "mpnet", "roberta", "xlm-roberta", "xlm-roberta-xl"})
"""Kinds of model that count positions from behind the padding's id instead of 0."""

_LABELS_DEFAULT = 2
"""What transformers takes where a configuration says nothing about labels."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Description:
    """One reranker. `max_tokens` counts query, passage and all marks; `pad` is an id."""

    name: str
    folder: Path
    head: Head
    max_tokens: int
    pad: int
    types: bool
    """Whether the network tells query and passage apart by token types."""


def describe(folder: Path, name: str) -> Description:
    """Read the configuration in `folder`.

    Raises:
        ConfigurationError: the folder, its configuration or its tokenizer is missing or broken,
            or the model has no head that gives one score for a pair.
    """
    for needed in ("config.json", "tokenizer.json"):
        if not (folder / needed).is_file():
            raise ConfigurationError(
                f"The reranker folder {str(folder)!r} has no {needed}.",
                fix="Save model and tokenizer with save_pretrained into one folder.",
            )
    config = _object(folder / "config.json")
    return Description(
        name=name,
        folder=folder,
        head=_head(config, name),
        max_tokens=_max_tokens(config, _object(folder / "tokenizer_config.json")),
        pad=_int(config.get("pad_token_id"), 0),
        types=_int(config.get("type_vocab_size"), 0) > 1,
    )


def _head(config: Mapping[str, object], name: str) -> Head:
    architectures = config.get("architectures")
    kind = str(architectures[0]) if isinstance(architectures, list) and architectures else "none"
    if kind.endswith("ForCausalLM"):
        return "yes or no"
    if not kind.endswith("ForSequenceClassification"):
        raise ConfigurationError(
            f"The model {name!r} is no reranker: its architecture is {kind}.",
            fix="Accepted are ...ForSequenceClassification and ...ForCausalLM.",
        )
    labels = _labels(config)
    if labels == 1:
        return "one label"
    if labels == 2:
        return "two labels"
    raise ConfigurationError(
        f"The head of the model {name!r} has {labels} labels.",
        fix="Accepted are heads with 1 label (a score) or 2 (irrelevant, relevant).",
    )


def _labels(config: Mapping[str, object]) -> int:
    names = config.get("id2label")
    if isinstance(names, dict):
        return len(names)
    return _int(config.get("num_labels"), _LABELS_DEFAULT)


def _max_tokens(config: Mapping[str, object], tokenizer: Mapping[str, object]) -> int:
    positions = _int(config.get("max_position_embeddings"), MAX_TOKENS)
    if config.get("model_type") in _OFFSET:
        positions -= _int(config.get("pad_token_id"), 1) + 1
    return min(MAX_TOKENS, positions, _int(tokenizer.get("model_max_length"), MAX_TOKENS))


def _int(found: object, default: int) -> int:
    return found if isinstance(found, int) else default


def _object(path: Path) -> dict[str, object]:
    """Read a file that may be missing, but must not be broken."""
    try:
        found = json.loads(path.read_text("utf-8"))
    except FileNotFoundError:
        return {}
    except (OSError, ValueError) as error:
        raise ConfigurationError(
            f"The model file {str(path)!r} cannot be read: {error}.", fix="Get the model again."
        ) from error
    return found if isinstance(found, dict) else {}
