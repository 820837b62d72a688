"""From a knowledge base file to models, sources and settings."""

from pathlib import Path

import pytest

from headwater.domain.errors import ConfigurationError
from headwater.domain.ports import JudgeTask, Scorable
from headwater.domain.request import Overrides, Run
from headwater.graph.builder import Models
from headwater.graph.config import (
    FieldsSection,
    FilesSection,
    KnowledgeBaseFile,
    LimitsSection,
    ModelsSection,
)
from headwater.graph.opening import Opening
from headwater.graph.wiring import (
    CPU_RANK_DEPTH,
    Thresholds,
    defaults_of,
    open_models,
    open_source,
)
from headwater.models.rerankers.ranker import PairRanker
from headwater.models.similarity_classifier import SimilarityClassifier
from headwater.models.similarity_ranker import SimilarityRanker
from headwater.sources.files import FilesSource
from headwater.sources.parse.field_rules import FieldRules
from headwater.sources.parse.limits import ParseLimits
from tests.fakes import FakeClassifier, FakeRanker, FakeSource, WordCounter, ticking_clock
from tests.models.rerankers.tiny import bert
from tests.sources.stand_ins import HashingEmbedder

NONE = Overrides()
THRESHOLDS = Thresholds(ranker=0.3, classifier=0.1, exit=0.7)


def config(**settings: float) -> KnowledgeBaseFile:
    source = FilesSection(name="manuals", kind="files", path="manuals")
    return KnowledgeBaseFile(name="base", sources=[source], settings=Overrides(**settings))


def resolved(file: KnowledgeBaseFile, overrides: Overrides = NONE) -> tuple[float, ...]:
    opening = Opening(
        [FakeSource("manuals")], defaults_of(file, THRESHOLDS), ticking_clock(), lambda: "run"
    )
    run = opening.update({"question": "Which seal?", "overrides": overrides})["run"]
    assert isinstance(run, Run)
    return run.ranker_threshold, run.classifier_threshold, run.exit_threshold


def test_each_model_brings_its_own_thresholds() -> None:
    models, thresholds = open_models(ModelsSection(ranker="similarity", device="cpu"))

    assert isinstance(models.ranker, SimilarityRanker)
    assert isinstance(models.classifier, SimilarityClassifier)
    assert thresholds == Thresholds(
        models.ranker.threshold, models.classifier.threshold, models.classifier.exit_threshold
    )


def test_the_ranker_is_the_one_that_the_file_names(tmp_path: Path) -> None:
    folder = bert(tmp_path / "mine")

    models, thresholds = open_models(ModelsSection(ranker=str(folder), device="cpu"))

    assert isinstance(models.ranker, PairRanker)
    assert models.ranker.name == "mine"
    assert thresholds.ranker == models.ranker.threshold


def test_a_network_on_the_processor_reads_fewer_candidates_unless_more_are_asked_for(
    tmp_path: Path,
) -> None:
    _, thresholds = open_models(ModelsSection(ranker=str(bert(tmp_path / "mine")), device="cpu"))
    defaults = defaults_of(config(), thresholds)
    opening = Opening([FakeSource("manuals")], defaults, ticking_clock(), lambda: "run")

    run = opening.update({"question": "Which seal?"})["run"]
    deeper = opening.update({"question": "Which seal?", "overrides": Overrides(rank_depth=120)})[
        "run"
    ]

    assert isinstance(run, Run)
    assert run.rank_depth == CPU_RANK_DEPTH
    assert isinstance(deeper, Run)
    assert deeper.rank_depth == 120


async def test_the_grades_of_a_network_are_its_scores(tmp_path: Path) -> None:
    models, _ = open_models(ModelsSection(ranker=str(bert(tmp_path / "mine")), device="cpu"))
    task = JudgeTask("Which seal?", [Scorable("The seal is S-14.")], ["The seal is S-14."], [2.25])

    (verdict,) = await models.classifier.judge([task])

    assert verdict.grades == [[0.0, 0.0, 0.75, 0.25, 0.0]]


def test_a_ranker_that_is_nowhere_is_told_and_nothing_stands_in_for_it(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="nowhere"):
        open_models(ModelsSection(ranker=str(tmp_path / "nowhere"), device="cpu"))


def test_a_run_takes_the_thresholds_of_the_models() -> None:
    assert resolved(config()) == (0.3, 0.1, 0.7)


def test_the_file_replaces_a_threshold_and_a_request_replaces_it_again() -> None:
    file = config(ranker_threshold=1.5, classifier_threshold=2.0)

    assert resolved(file) == (1.5, 2.0, 0.7)
    assert resolved(file, Overrides(ranker_threshold=0.0)) == (0.0, 2.0, 0.7)


async def test_limits_of_the_file_reach_the_source(tmp_path: Path) -> None:
    section = FilesSection(name="manuals", path=".", limits=LimitsSection(max_pages=9_000))
    models = Models(FakeRanker(), FakeClassifier(), WordCounter(), embedder=HashingEmbedder())

    source = open_source(section, KnowledgeBaseFile(name="b", sources=[section]), tmp_path, models)

    assert isinstance(source, FilesSource)
    assert source.config.limits == ParseLimits(max_pages=9_000)
    await source.close()


async def test_rules_for_fields_reach_the_source(tmp_path: Path) -> None:
    section = FilesSection(
        name="tickets", path=".", fields=FieldsSection(title=["name"], content=["body", "text"])
    )
    models = Models(FakeRanker(), FakeClassifier(), WordCounter(), embedder=HashingEmbedder())

    source = open_source(section, KnowledgeBaseFile(name="b", sources=[section]), tmp_path, models)

    assert isinstance(source, FilesSource)
    assert source.config.fields == FieldRules(title=("name",), content=("body", "text"))
    await source.close()


def test_a_source_of_files_needs_an_embedder(tmp_path: Path) -> None:
    section = FilesSection(name="manuals", path=".")
    models = Models(FakeRanker(), FakeClassifier(), WordCounter())

    with pytest.raises(ConfigurationError, match="'manuals' needs an embedder"):
        open_source(section, KnowledgeBaseFile(name="b", sources=[section]), tmp_path, models)
