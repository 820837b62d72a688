"""What a folder in the layout of sentence-transformers says about its model."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, cast

from ..domain.errors import ConfigurationError

Pooling = Literal["mean", "cls"]

_SEARCH = "Represent this sentence for searching relevant passages: "
_PREFIXES: tuple[tuple[str, str, str], ...] = (
    ("e5", "query: ", "passage: "),
    ("bge-m3", "", ""),
    ("bge-small-zh", "为这个句子生成表示以用于检索相关文章：", ""),
    ("bge-base-zh", "为这个句子生成表示以用于检索相关文章：", ""),
    ("bge-large-zh", "为这个句子生成表示以用于检索相关文章：", ""),
    ("bge", _SEARCH, ""),
    ("mxbai-embed", _SEARCH, ""),
    ("snowflake-arctic-embed-l-v2", "query: ", ""),
    ("snowflake-arctic-embed-m-v2", "query: ", ""),
    ("snowflake-arctic-embed", _SEARCH, ""),
    ("nomic-embed-text", "search_query: ", "search_document: "),
)
"""Part of a model's name, prefix of queries, prefix of passages: from the models' own cards.

The first that matches counts. Prompts that the folder itself gives go before this table.
"""

_TOKENS_DEFAULT = 512


@dataclass(frozen=True, slots=True, kw_only=True)
class Layout:
    """How texts become vectors: the numbers and strings around the network."""

    name: str
    folder: Path
    pooling: Pooling = "mean"
    max_tokens: int = _TOKENS_DEFAULT
    query_prefix: str = ""
    passage_prefix: str = ""


def read_layout(folder: Path, name: str) -> Layout:
    """Read the configuration files of `folder`; `name` decides on prefixes that it leaves open.

    Raises:
        ConfigurationError: no such folder, a file is missing or broken, or the model does
            something between tokens and vector that is not known here.
    """
    if not folder.is_dir():
        raise ConfigurationError(
            f"The embedder folder {str(folder)!r} does not exist.",
            fix="Name a folder, a model of the hub, or 'builtin'.",
        )
    for needed in ("config.json", "tokenizer.json"):
        if not (folder / needed).is_file():
            raise ConfigurationError(
                f"The embedder folder {str(folder)!r} has no {needed}.",
                fix="Save the model with sentence-transformers into one folder.",
            )
    query, passage = _prefixes(folder, name)
    return Layout(
        name=name,
        folder=folder,
        pooling=_pooling(folder),
        max_tokens=_max_tokens(folder),
        query_prefix=query,
        passage_prefix=passage,
    )


def _pooling(folder: Path) -> Pooling:
    """Find the one way of pooling; without a list of modules it is the mean, as the layout has it.

    Normalisation needs no look: vectors always get length 1.
    """
    pooling: Pooling = "mean"
    modules = cast("list[dict[str, str]]", _json(folder / "modules.json") or [])
    for module in modules:
        kind = module.get("type", "").rpartition(".")[2]
        if kind == "Pooling":
            pooling = _mode(folder / module.get("path", ""))
        elif kind not in ("Transformer", "Normalize"):
            raise ConfigurationError(
                f"The embedder in {str(folder)!r} uses a module {kind!r} that is not supported.",
                fix="Use a model made of Transformer, Pooling and Normalize.",
            )
    return pooling


def _mode(folder: Path) -> Pooling:
    config = _object(folder / "config.json")
    mode = config.get("pooling_mode")
    names = {"pooling_mode_mean_tokens": "mean", "pooling_mode_cls_token": "cls"}
    on = [key for key, value in config.items() if key.startswith("pooling_mode_") and value is True]
    modes = [str(mode)] if mode else [names.get(key, key) for key in on]
    if modes == ["mean"]:
        return "mean"
    if modes == ["cls"]:
        return "cls"
    raise ConfigurationError(
        f"The embedder in {str(folder.parent)!r} pools by {' and '.join(modes) or 'nothing'}.",
        fix="Supported are the mean of the tokens and the first token.",
    )


def _max_tokens(folder: Path) -> int:
    limits = [
        _object(folder / "sentence_bert_config.json").get("max_seq_length"),
        _object(folder / "config.json").get("max_position_embeddings"),
        _object(folder / "tokenizer_config.json").get("model_max_length"),
    ]
    known = [limit for limit in limits if isinstance(limit, int) and 0 < limit < 1_000_000]
    return min(known, default=_TOKENS_DEFAULT)


def _prefixes(folder: Path, name: str) -> tuple[str, str]:
    prompts = _object(folder / "config_sentence_transformers.json").get("prompts")
    given = prompts if isinstance(prompts, dict) else {}
    query = str(given.get("query") or "")
    passage = str(given.get("document") or given.get("passage") or "")
    if query or passage:
        return query, passage
    known = f"-{name.replace('/', '-').lower()}"
    for part, of_query, of_passage in _PREFIXES:
        if f"-{part}" in known:
            return of_query, of_passage
    return "", ""


def _object(path: Path) -> dict[str, object]:
    found = _json(path)
    return found if isinstance(found, dict) else {}


def _json(path: Path) -> object:
    """Read a file that may be missing, but must not be broken."""
    try:
        return json.loads(path.read_text("utf-8"))
    except FileNotFoundError:
        return None
    except (OSError, ValueError) as error:
        raise ConfigurationError(
            f"The model file {str(path)!r} cannot be read: {error}.", fix="Get the model again."
        ) from error
