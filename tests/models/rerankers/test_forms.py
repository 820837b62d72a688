from collections.abc import Callable
from pathlib import Path

import pytest
from tokenizers import Tokenizer, models
from transformers import AutoTokenizer

from headwater.domain.errors import ConfigurationError
from headwater.models.rerankers.forms import INSTRUCTION, MarkedPairs, YesNoPrompt
from tests.models.rerankers import tiny

QUERY = "Which pump has a worn seal?"


def opened(folder: Path) -> Tokenizer:
    return Tokenizer.from_file(str(folder / "tokenizer.json"))


@pytest.mark.parametrize("make", [tiny.bert, tiny.modern, tiny.xlm_roberta])
def test_pairs_are_those_of_the_tokenizer_itself(
    tmp_path: Path, make: Callable[[Path], Path]
) -> None:
    tokenizer = opened(make(tmp_path))

    found = MarkedPairs(tokenizer, 64).encode(QUERY, tiny.TEXTS)

    expected = [tokenizer.encode(QUERY, text) for text in tiny.TEXTS]
    assert [pair.ids for pair in found] == [pair.ids for pair in expected]
    assert [pair.types for pair in found] == [pair.type_ids for pair in expected]
    assert all(pair.whole for pair in found)


@pytest.mark.parametrize(("make", "form"), [(tiny.bert, MarkedPairs), (tiny.qwen, YesNoPrompt)])
def test_what_the_file_says_about_cutting_and_padding_does_not_count(
    tmp_path: Path,
    make: Callable[[Path], Path],
    form: Callable[[Tokenizer, int], MarkedPairs | YesNoPrompt],
) -> None:
    tokenizer = opened(make(tmp_path))
    expected = form(tokenizer, 512).encode(QUERY, tiny.TEXTS)
    tokenizer.enable_truncation(6)
    tokenizer.enable_padding(length=700)

    assert form(tokenizer, 512).encode(QUERY, tiny.TEXTS) == expected


def test_only_the_passage_is_cut(tmp_path: Path) -> None:
    tokenizer = opened(tiny.bert(tmp_path))
    form = MarkedPairs(tokenizer, 24)
    asked = tokenizer.encode(QUERY, add_special_tokens=False).ids

    (found,) = form.encode(QUERY, ["bearing " * 100])

    assert len(found.ids) == 24
    assert found.ids[1 : len(asked) + 1] == asked
    assert found.ids[-1] == tokenizer.token_to_id("[SEP]")
    assert not found.whole
    assert form.cost(QUERY) == len(asked) + 3


def test_a_tokenizer_without_marks_between_two_texts_is_refused() -> None:
    with pytest.raises(ConfigurationError, match="does not mark where a query ends"):
        MarkedPairs(Tokenizer(models.WordLevel({"a": 0}, unk_token="a")), 64)


def test_the_prompt_is_that_of_the_models_card(tmp_path: Path) -> None:
    folder = tiny.qwen(tmp_path)
    reference = AutoTokenizer.from_pretrained(folder)

    (found,) = YesNoPrompt(opened(folder), 512).encode(QUERY, [tiny.TEXTS[0]])

    assert reference.decode(found.ids) == (
        "<|im_start|>system\nJudge whether the Document meets the requirements based on the Query"
        ' and the Instruct provided. Note that the answer can only be "yes" or "no".<|im_end|>\n'
        f"<|im_start|>user\n<Instruct>: {INSTRUCTION}\n<Query>: {QUERY}\n"
        f"<Document>: {tiny.TEXTS[0]}<|im_end|>\n<|im_start|>assistant\n<think>\n\n</think>\n\n"
    )


def test_the_prompt_keeps_its_end_where_a_passage_is_cut(tmp_path: Path) -> None:
    tokenizer = opened(tiny.qwen(tmp_path))
    form = YesNoPrompt(tokenizer, 400)

    whole, cut = form.encode(QUERY, ["bearing motor", "bearing " * 400])

    assert (whole.whole, cut.whole) == (True, False)
    assert len(cut.ids) == 400
    assert cut.ids[-8:] == whole.ids[-8:]
    assert form.cost(QUERY) < len(whole.ids)
    assert INSTRUCTION in tokenizer.decode(cut.ids)


@pytest.mark.parametrize(
    ("changes", "missing"),
    [({"words": "sure nay"}, "'no'"), ({"chat": False}, r"'<\|im_start\|>'")],
)
def test_a_tokenizer_without_the_answers_or_marks_is_refused(
    tmp_path: Path, changes: dict[str, object], missing: str
) -> None:
    folder = tiny.qwen(tmp_path, **changes)  # type: ignore[arg-type]

    with pytest.raises(ConfigurationError, match=f"no single token {missing}"):
        YesNoPrompt(opened(folder), 512)
