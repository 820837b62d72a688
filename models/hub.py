"""Models of the Hugging Face hub, fetched once into its own cache on this machine."""

from pathlib import Path

from ..domain.errors import ConfigurationError, ModelUnavailableError

_FILES = ["*.json", "*/config.json", "model*.safetensors", "sentencepiece*", "vocab*"]
"""Weights as data, configuration and tokenizer: never code, never pickled weights."""


def is_hub_id(name: str) -> bool:
    """Tell whether this could name a model of the hub: an owner and a model."""
    owner, _, model = name.partition("/")
    return bool(owner and model) and "/" not in model and not owner.startswith((".", "~"))


def hub_folder(name: str) -> Path:
    """Give the folder with the files of the model `name`, in the hub's own cache.

    The hub is asked for a newer version each time; where it cannot be reached, the one that was
    fetched before serves.

    Raises:
        ConfigurationError: there is no such model, or it may not be had without a key.
        ModelUnavailableError: the hub cannot be reached.
    """
    from huggingface_hub import snapshot_download
    from huggingface_hub.errors import (
        HfHubHTTPError,
        LocalEntryNotFoundError,
        RepositoryNotFoundError,
    )

    try:
        return Path(snapshot_download(name, allow_patterns=_FILES))
    except RepositoryNotFoundError as error:
        raise ConfigurationError(
            f"There is no model {name!r} on the hub, or it needs a login.",
            fix="Check the name, or give a folder.",
        ) from error
    except (HfHubHTTPError, LocalEntryNotFoundError, OSError) as error:
        raise ModelUnavailableError(
            name,
            "the model hub cannot be reached.",
            fix="Get the model once, then give its folder.",
        ) from error
