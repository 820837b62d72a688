"""From configuration to adapters: one function a kind."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from ..domain.errors import ConfigurationError
from ..domain.ports import Source
from ..models.chat import open_chat
from ..models.embedder import open_embedder
from ..models.ranker.opening import open_ranker
from ..models.similarity_classifier import open_similarity_classifier
from ..models.similarity_ranker import SimilarityRanker
from ..models.tokens import token_counter
from ..sources.files import FilesConfig, FilesSource
from ..sources.parse.field_rules import FieldRules
from ..sources.parse.limits import ParseLimits
from .builder import Models
from .config import FilesSection, KnowledgeBaseFile, ModelsSection
from .opening import DEEPEST, Defaults
from .policies import Policy

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel


CPU_RANK_DEPTH = 50
"""Candidates of a sub-query that a network reads on the processor: about a second's work for two
cores. All of them are read on an accelerator."""


@dataclass(frozen=True, slots=True)
class Thresholds:
    """What the ranker and the classifier of a knowledge base bring; see `Defaults`."""

    ranker: float
    classifier: float
    exit: float
    rank_depth: int = DEEPEST


def open_models(
    section: ModelsSection, chat: "BaseChatModel | None" = None
) -> tuple[Models, Thresholds]:
    """Open the models of a knowledge base, with their own thresholds.

    The weights of embedder and ranker are loaded here. Raises ConfigurationError and ModelError.
    """
    embedder = open_embedder(section.embedder, device=section.device)
    ranker = open_ranker(section.ranker, embedder, device=section.device)
    reads_pairs = not isinstance(ranker, SimilarityRanker)
    classifier = open_similarity_classifier(embedder, trusts_ranker=reads_pairs)
    wanted = chat or section.chat
    models = Models(
        ranker=ranker,
        classifier=classifier,
        counter=token_counter(),
        embedder=embedder,
        chat=open_chat(wanted, timeout=section.chat_seconds) if wanted else None,
    )
    thresholds = Thresholds(
        ranker=ranker.threshold,
        classifier=classifier.threshold,
        exit=classifier.exit_threshold,
        rank_depth=CPU_RANK_DEPTH if reads_pairs and ranker.device == "cpu" else DEEPEST,
    )
    return models, thresholds


def open_source(
    section: FilesSection, config: KnowledgeBaseFile, folder: Path, models: Models
) -> Source:
    """Open one source; relative paths start at `folder`.

    A source whose files were taken away still answers from its index.

    Raises:
        ConfigurationError: there are neither files nor an index.
    """
    path = (folder / Path(section.path).expanduser()).resolve()
    state = folder / Path(config.state).expanduser() / section.name
    if not path.exists() and not FilesSource.ingested(state):
        raise ConfigurationError(
            f"Source {section.name!r}: there is no folder or file {str(path)!r}.",
            fix="Correct `path`; it is relative to the knowledge base file.",
        )
    if models.embedder is None:
        raise ConfigurationError(f"Source {section.name!r} needs an embedder.")
    return FilesSource.open(
        FilesConfig(
            name=section.name,
            path=path,
            state=state,
            description=section.description,
            keyword=section.keyword,
            language=section.language,
            include=section.include,
            exclude=section.exclude,
            title_boost=section.title_boost,
            max_file_bytes=section.max_file_bytes,
            max_files=section.max_files,
            limits=ParseLimits(**section.limits.model_dump()),
            fields=FieldRules(**{k: tuple(v) for k, v in section.fields.model_dump().items()}),
        ),
        embedder=models.embedder,
        counter=models.counter,
    )


def defaults_of(config: KnowledgeBaseFile, thresholds: Thresholds) -> Defaults:
    """Give the settings of a knowledge base; those of each source become lists of names."""
    named = {
        "always_query": [s.name for s in config.sources if s.always_query] or None,
        "never_query": [s.name for s in config.sources if s.never_query] or None,
    }
    lists = {key: value for key, value in named.items() if getattr(config.settings, key) is None}
    return Defaults(
        effort=config.effort,
        output=config.output,
        ranker_threshold=thresholds.ranker,
        classifier_threshold=thresholds.classifier,
        exit_threshold=thresholds.exit,
        rank_depth=thresholds.rank_depth,
        retrieval_instructions=config.retrieval_instructions,
        answer_instructions=config.answer_instructions,
        overrides=config.settings.model_copy(update=lists),
    )


def policy_of(config: KnowledgeBaseFile) -> Policy:
    """Give the deadlines of a knowledge base."""
    return Policy(
        chat_seconds=config.models.chat_seconds,
        seconds_by_source={s.name: s.seconds for s in config.sources if s.seconds is not None},
    )
