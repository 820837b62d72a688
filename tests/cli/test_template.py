import tomllib

from hypothesis import given
from hypothesis import strategies as st

from headwater.cli.suggest import Suggestion
from headwater.cli.template import knowledge_base_file
from headwater.domain.printable import printable
from headwater.graph.config import KnowledgeBaseFile

ANY_TEXT = st.text(st.characters(codec=None, exclude_categories=()))


@given(ANY_TEXT, st.lists(ANY_TEXT))
def test_any_path_and_description_come_back_as_they_were(text: str, exclude: list[str]) -> None:
    written = knowledge_base_file("kb", [Suggestion("source", f"./{text}", text, exclude)])

    [source] = tomllib.loads(written)["sources"]

    assert source["path"] == printable(f"./{text}")
    assert source["description"] == printable(text)
    assert set(source.get("exclude", [])) == {printable(pattern) for pattern in exclude}


def test_the_file_is_valid_as_it_is_and_with_its_comments_taken_away() -> None:
    written = knowledge_base_file("kb", [Suggestion("manuals", "./manuals", "Manuals of pumps")])
    opened = written.replace("\n# ", "\n")

    assert KnowledgeBaseFile.model_validate(tomllib.loads(written)).effort == "medium"
    settings = opened[opened.index("retrieval_instructions") : opened.index("Selection sees")]
    config = tomllib.loads('name = "kb"\n' + settings + written[written.index("[[sources]]") :])
    assert KnowledgeBaseFile.model_validate(config).models.chat == "openai:gpt-4.1-mini"


def test_another_embedder_is_a_comment_that_can_be_taken_away() -> None:
    written = knowledge_base_file("kb", [Suggestion("a", ".", "")], "builtin-multilingual")
    opened = written.replace("\n# [models]\n# ", "\n[models]\n")

    read = [KnowledgeBaseFile.model_validate(tomllib.loads(text)) for text in (written, opened)]

    assert [file.models.embedder for file in read] == ["builtin", "builtin-multilingual"]


def test_a_source_that_is_the_folder_of_the_file_leaves_the_file_out() -> None:
    written = knowledge_base_file("kb", [Suggestion("all", ".", "", ["*/**"])])

    assert tomllib.loads(written)["sources"][0]["exclude"] == ["*/**", "headwater.toml"]
