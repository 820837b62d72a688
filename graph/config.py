"""What a knowledge base file may say."""

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from ..domain.request import Effort, Output, Overrides

FieldName = Annotated[str, Field(min_length=1, max_length=200)]
Name = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9_.-]{0,62}$")]


class ModelsSection(BaseModel):
    """`[models]`: which models serve the knowledge base."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    chat: str | None = Field(None, description="Any LangChain `init_chat_model` name.")
    chat_seconds: float = Field(60.0, gt=0, le=3600)
    embedder: str = Field(
        "builtin", description="`builtin`, `builtin-multilingual`, a hub id, or a folder."
    )
    ranker: str = Field(
        "builtin", min_length=1, description="`builtin`, `similarity`, a hub id, or a folder."
    )
    classifier: Literal["builtin", "similarity"] = "builtin"
    host: Literal["local"] = "local"
    device: Literal["auto", "cpu", "cuda", "mps"] = "auto"


class LimitsSection(BaseModel):
    """`limits` of a source: how much of one file is read at most."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    max_characters: int = Field(20_000_000, ge=1)
    max_pages: int = Field(5_000, ge=1)
    max_archive_bytes: int = Field(200_000_000, ge=1)
    max_archive_ratio: int = Field(200, ge=1)
    max_records: int = Field(1_000_000, ge=1)
    timeout_seconds: float = Field(120, gt=0, le=3600)


class FieldsSection(BaseModel):
    """`fields` of a source: names of the fields of records, first choice first."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    title: list[FieldName] = Field([], description="The first that has a value is the title.")
    keywords: list[FieldName] = Field([], description="All together are the keywords.")
    content: list[FieldName] = Field([], description="All, in this order, are the text.")


class FilesSection(BaseModel):
    """One `[[sources]]` entry of kind `files`."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: Name
    kind: Literal["files"] = "files"
    path: str = Field(min_length=1, description="A folder or a file; relative to this file.")
    description: str = ""
    keyword: Literal["whoosh", "fts5"] = "whoosh"
    language: str | None = Field(None, pattern=r"^[a-z]{2}$")
    include: list[str] = ["**/*"]
    exclude: list[str] = []
    title_boost: float = Field(1.0, ge=0, le=10)
    max_file_bytes: int = Field(50_000_000, ge=1)
    max_files: int = Field(200_000, ge=1)
    limits: LimitsSection = LimitsSection()
    fields: FieldsSection = FieldsSection()
    always_query: bool = False
    never_query: bool = False
    seconds: float | None = Field(None, gt=0, le=3600, description="Deadline of one search.")


class KnowledgeBaseFile(BaseModel):
    """A whole knowledge base file."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: Name
    description: str = ""
    effort: Effort = "medium"
    output: Output = "answer"
    retrieval_instructions: str = ""
    answer_instructions: str = ""
    state: str = Field(".headwater", description="Folder of the indexes; relative to this file.")
    models: ModelsSection = ModelsSection()
    settings: Overrides = Overrides()
    sources: list[FilesSection] = Field(min_length=1, max_length=10)
