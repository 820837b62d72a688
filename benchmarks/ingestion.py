"""How much faster is ingestion than a plain loop, and does its memory stay bounded?

Run `python -m benchmarks.ingestion [--files FOLDER] [--rounds N] [--keyword ENGINE] [--json]`, or
`python -m benchmarks.ingestion --chunks 100000` for memory. The plain loop has the same files and
the same chunks, embeds them with `SentenceTransformer.encode` at its defaults and adds them to a
Chroma collection, file by file (`plain`) or with all chunks in one call (`plain_at_once`); it
keeps no keyword index and cannot be interrupted. Both have the same weights, loaded and warm before
the clock starts; they take turns. Text, where no folder is named: docstrings of the standard
library, one file a module. Memory is measured with an embedder that takes no time.
"""

import argparse
import asyncio
import importlib
import inspect
import json
import os
import pkgutil
import random
import resource
import statistics
import sys
import tempfile
import time
import warnings
from array import array
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import chromadb
import numpy as np
from chromadb.config import Settings

from headwater.domain.ports import Embedder
from headwater.models.embedder import open_embedder
from headwater.models.tokens import token_counter
from headwater.models.weights import MINILM, find_weights
from headwater.sources.chunk import chunk
from headwater.sources.document import Chunk, FileEntry
from headwater.sources.files import FilesConfig, FilesSource
from headwater.sources.index.keyword import Engine
from headwater.sources.index.store import embedding_text
from headwater.sources.ingest import IngestProgress
from headwater.sources.parse.registry import ParseLimits, parse
from headwater.sources.walk import WalkRules, walk

MODULES = 120
CHUNKS_A_FILE = 100
MEGABYTE = 1024 * 1024


def write_docstrings(folder: Path) -> None:
    """Write the docstrings of some modules of the standard library, one text file a module."""
    names = sorted(m.name for m in pkgutil.iter_modules() if m.name in sys.stdlib_module_names)
    written = 0
    for name in names:
        if name.startswith("_") or name in ("antigravity", "this", "idlelib"):
            continue
        text = _docstrings(name)
        if len(text) > 500:
            (folder / f"{name}.md").write_text(text, encoding="utf-8")
            written += 1
        if written == MODULES:
            return


def _docstrings(name: str) -> str:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            module = importlib.import_module(name)
        except ImportError:
            return ""
    parts = [f"# {name}", inspect.getdoc(module) or ""]
    for member, value in inspect.getmembers(module):
        if getattr(value, "__module__", None) == name and inspect.getdoc(value):
            parts += [f"## {member}", inspect.getdoc(value) or ""]
    return "\n\n".join(parts)


async def ours(files: Path, embedder: Embedder, keyword: Engine) -> tuple[int, float]:
    """Ingest into a new index; gives chunks and seconds."""
    with tempfile.TemporaryDirectory() as state:
        config = FilesConfig("files", files, Path(state), keyword=keyword)
        source = FilesSource.open(config, embedder=embedder, counter=token_counter())
        started = time.perf_counter()
        report = await source.ingest()
        seconds = time.perf_counter() - started
        await source.close()
        return report.chunks, seconds


class Plain:
    """The loop one writes first."""

    def __init__(self) -> None:
        from sentence_transformers import SentenceTransformer
        from sentence_transformers.sentence_transformer import modules

        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            folder = str(find_weights(MINILM).parent)
            words = modules.Transformer(folder, max_seq_length=256)
            pooling = modules.Pooling(words.get_embedding_dimension(), pooling_mode="mean")
            self.model = SentenceTransformer(
                modules=[words, pooling, modules.Normalize()], device="cpu"
            )

    def run(self, files: Path, *, at_once: bool) -> tuple[int, float]:
        """Ingest into a new collection, file by file or all at once; gives chunks and seconds."""
        with tempfile.TemporaryDirectory() as folder:
            settings = Settings(anonymized_telemetry=False)
            client = chromadb.PersistentClient(path=folder, settings=settings)
            collection = client.create_collection("plain", embedding_function=None)
            counter = token_counter()
            started, count, kept = time.perf_counter(), 0, list[Chunk]()
            for entry in walk(files, WalkRules()):
                if isinstance(entry, FileEntry):
                    for document in parse(entry, ParseLimits()):
                        kept += chunk(document, counter)
                    if not at_once:
                        count += self._add(collection, kept)
                        kept = []
            count += self._add(collection, kept)
            seconds = time.perf_counter() - started
            client.close()  # type: ignore[attr-defined]
            return count, seconds

    def _add(self, collection: chromadb.Collection, chunks: Sequence[Chunk]) -> int:
        texts = [embedding_text(piece) for piece in chunks]
        vectors: Any = self.model.encode(texts) if texts else []
        for first in range(0, len(chunks), 1_000):
            part = slice(first, first + 1_000)
            collection.add(
                ids=[piece.id for piece in chunks[part]],
                documents=texts[part],
                embeddings=vectors[part],
                metadatas=[{"path": piece.path} for piece in chunks[part]],
            )
        return len(chunks)


async def speed(files: Path, rounds: int, keyword: Engine) -> dict[str, Any]:
    """Take turns; rates are medians over rounds, in chunks per second."""
    embedder, plain = open_embedder("builtin", device="cpu"), Plain()
    await embedder.embed_passages(["Warm up."] * 64)
    plain.model.encode(["Warm up."] * 64)
    rates: dict[str, list[float]] = {"ours": [], "plain": [], "plain_at_once": []}
    counts = set()
    for _ in range(rounds):
        for name, values in rates.items():
            if name == "ours":
                count, seconds = await ours(files, embedder, keyword)
            else:
                count, seconds = plain.run(files, at_once=name == "plain_at_once")
            values.append(count / seconds)
            counts.add(count)
    medians = {name: statistics.median(values) for name, values in rates.items()}
    return {
        "chunks": sorted(counts),
        "rounds": rounds,
        "keyword": keyword,
        "chunks_per_second": {name: round(value, 1) for name, value in medians.items()},
        "every_round": {name: [round(v, 1) for v in values] for name, values in rates.items()},
        "ratio_chunks_per_second": round(medians["ours"] / medians["plain"], 2),
        "ratio_to_one_call": round(medians["ours"] / medians["plain_at_once"], 2),
    }


class Instant:
    """Embeds in no time: vectors drawn from the text's hash."""

    name = "instant"
    dimensions = 384

    async def embed_passages(self, texts: Sequence[str]) -> list["array[float]"]:
        return [self._vector(text) for text in texts]

    async def embed_queries(self, texts: Sequence[str]) -> list["array[float]"]:
        return [self._vector(text) for text in texts]

    def _vector(self, text: str) -> "array[float]":
        vector = np.random.default_rng(hash(text) & 0xFFFFFFFF).standard_normal(384, "f4")
        return array("f", (vector / np.linalg.norm(vector)).tobytes())


def write_pages(folder: Path, chunks: int) -> None:
    """Write files of about a hundred chunks each, from a vocabulary with a long tail."""
    draw = random.Random(1)
    vocabulary = [f"{a}{b}{c}" for a in "bdfgklmnprst" for b in "aeiou" for c in "lmnrstvz" * 9]
    vocabulary = [f"{word}{i}" if i > 400 else word for i, word in enumerate(vocabulary)]
    for number in range(chunks // CHUNKS_A_FILE):
        sections = (
            f"# Part {i}\n\n"
            + " ".join(vocabulary[int(len(vocabulary) * draw.random() ** 3)] for _ in range(60))
            + "."
            for i in range(CHUNKS_A_FILE)
        )
        (folder / f"page{number:05}.md").write_text("\n\n".join(sections), encoding="utf-8")


def resident() -> float:
    """Megabytes this process holds now."""
    with open("/proc/self/statm", encoding="ascii") as facts:
        return int(facts.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") / MEGABYTE


async def memory(chunks: int, keyword: Engine) -> dict[str, Any]:
    """Ingest that many chunks; memory at 0, 10, 50 and 100 % of them, in megabytes."""
    marks = {0: "start", chunks // 10: "10 %", chunks // 2: "50 %", chunks: "100 %"}
    seen: dict[str, dict[str, float]] = {}

    def watch(progress: IngestProgress) -> None:
        for mark, name in marks.items():
            if progress.chunks >= mark and name not in seen:
                seen[name] = {
                    "chunks": progress.chunks,
                    "resident_mb": round(resident()),
                    "peak_mb": round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024),
                    "seconds": round(progress.seconds, 1),
                }

    with tempfile.TemporaryDirectory() as files, tempfile.TemporaryDirectory() as state:
        write_pages(Path(files), chunks)
        config = FilesConfig("files", Path(files), Path(state), keyword=keyword)
        source = FilesSource.open(config, embedder=Instant(), counter=Words())
        report = await source.ingest(on_progress=watch)
        await source.close()
        size = _size(state)
    return {
        "keyword": keyword,
        "chunks": report.chunks,
        "seconds": round(report.seconds, 1),
        "index_mb": round(size / MEGABYTE),
        "memory": seen,
    }


def _size(folder: str) -> int:
    return sum(path.stat().st_size for path in Path(folder).rglob("*") if path.is_file())


class Words:
    """Counts words: the tokenizer is not what is measured here."""

    name = "words"

    def __call__(self, text: str) -> int:
        return 2 * len(text.split())


async def measure(arguments: argparse.Namespace) -> dict[str, Any]:
    """Do what the arguments ask for."""
    if arguments.chunks:
        return await memory(arguments.chunks, arguments.keyword)
    if arguments.files:
        return await speed(arguments.files, arguments.rounds, arguments.keyword)
    with tempfile.TemporaryDirectory() as folder:
        write_docstrings(Path(folder))
        return await speed(Path(folder), arguments.rounds, arguments.keyword)


def main() -> None:
    """Parse arguments, measure, print."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--files", type=Path)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--keyword", choices=("whoosh", "fts5"), default="whoosh")
    parser.add_argument("--chunks", type=int)
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    result = asyncio.run(measure(arguments))
    print(json.dumps(result) if arguments.json else json.dumps(result, indent=2))


if __name__ == "__main__":
    main()
