from pathlib import Path

import pytest

from headwater.cli.suggest_embedder import suggested_embedder
from tests.cli.commands import headwater

ENGLISH = "The seal of the pump has to be replaced every year by a technician.\n"
FRENCH = "Le joint de la pompe doit être remplacé tous les ans par un technicien.\n"
CHINESE = "水泵的密封圈每年需要由技术人员更换一次。\n"


def written(folder: Path, *texts: str) -> list[Path]:
    found = [folder / f"{place}.md" for place in range(len(texts))]
    for path, text in zip(found, texts, strict=True):
        path.write_text(text, "utf-8")
    return found


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        ((), "builtin"),
        ((ENGLISH,), "builtin"),
        ((ENGLISH,) * 9 + (FRENCH,), "builtin"),
        ((ENGLISH,) * 3 + (FRENCH,), "builtin-multilingual"),
        ((CHINESE,), "builtin-multilingual"),
        (("1 2 3",), "builtin"),
    ],
)
def test_many_texts_in_another_language_ask_for_the_multilingual_one(
    texts: tuple[str, ...], expected: str, tmp_path: Path
) -> None:
    assert suggested_embedder(written(tmp_path, *texts)) == expected


def test_what_is_no_text_or_cannot_be_read_shows_no_language(tmp_path: Path) -> None:
    (tmp_path / "a.pdf").write_text(FRENCH, "utf-8")

    assert suggested_embedder([tmp_path / "a.pdf", tmp_path / "gone.md"]) == "builtin"


@pytest.mark.parametrize(("text", "hinted"), [(FRENCH, True), (ENGLISH, False)])
def test_init_names_the_embedder_where_documents_ask_for_it(
    text: str, hinted: bool, tmp_path: Path
) -> None:
    written(tmp_path, text)

    headwater("init", str(tmp_path))

    file = (tmp_path / "headwater.toml").read_text("utf-8")
    assert ('# embedder = "builtin-multilingual"' in file) == hinted
