from pathlib import Path

import pytest

from headwater.cli.base import Base, base_of_folder, configured
from headwater.domain.errors import ConfigurationError, InvalidRequestError
from headwater.graph.config import FilesSection, KnowledgeBaseFile

SECTIONS = [FilesSection(name=name, path=".") for name in ("product_manuals", "tickets")]
BASE = Base(KnowledgeBaseFile(name="kb", sources=SECTIONS), Path("folder"))


def test_an_unknown_source_names_the_nearest() -> None:
    with pytest.raises(InvalidRequestError, match="Did you mean 'product_manuals'") as caught:
        BASE.known(["tickets", "product_manual"])

    assert "Known are: product_manuals, tickets." in str(caught.value)


def test_a_source_far_from_all_others_gets_no_guess() -> None:
    with pytest.raises(InvalidRequestError) as caught:
        BASE.known(["zzz"])

    assert "Did you mean" not in str(caught.value)


def test_paths_start_at_the_file() -> None:
    assert BASE.place("./a/../b") == Path("folder/b").resolve()


def test_the_file_here_is_the_default(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "headwater.toml").write_text('name = "here"\n[[sources]]\nname="a"\npath="."\n')
    monkeypatch.chdir(tmp_path)

    assert configured(None).config.name == "here"


def test_a_folder_stands_for_the_file_in_it(tmp_path: Path) -> None:
    (tmp_path / "headwater.toml").write_text('name = "there"\n[[sources]]\nname="a"\npath="."\n')

    base = configured(tmp_path)

    assert (base.config.name, base.folder) == ("there", tmp_path)


def test_the_index_of_a_folder_lies_in_the_cache(tmp_path: Path, cache: Path) -> None:
    (tmp_path / "manuals").mkdir()

    base = base_of_folder(tmp_path / "manuals")

    assert base.sources == ["manuals"]
    assert base.place(base.config.sources[0].path) == tmp_path / "manuals"
    assert base.place(base.config.state).parent == cache / "folders"


@pytest.mark.usefixtures("cache")
def test_the_same_folder_has_one_index_however_it_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
    monkeypatch.chdir(tmp_path)

    states = {base_of_folder(Path(p)).config.state for p in ("one", "./one/", "two/../one")}

    assert len(states) == 1
    assert base_of_folder(Path("two")).config.state not in states


@pytest.mark.usefixtures("cache")
def test_a_name_that_is_none_still_gives_a_valid_base(tmp_path: Path) -> None:
    folder = tmp_path / "plant" / "文档"
    folder.mkdir(parents=True)

    assert base_of_folder(folder).sources == ["plant"]


def test_a_path_that_is_no_text_is_refused(tmp_path: Path) -> None:
    folder = tmp_path / "bytes\udcff"
    folder.mkdir()

    with pytest.raises(ConfigurationError, match="are no text"):
        base_of_folder(folder)


def test_a_missing_folder_is_named() -> None:
    with pytest.raises(ConfigurationError, match="no folder or file 'nowhere'"):
        base_of_folder(Path("nowhere"))


def test_a_single_file_is_a_base_of_its_own(tmp_path: Path) -> None:
    file = tmp_path / "pumps.md"
    file.write_text("The X-200 weighs 12 kg.")

    base = base_of_folder(file)

    assert base.sources == ["pumps"]
    assert base.place(base.config.sources[0].path) == file.resolve()
