"""Tiny models with random weights, saved as a folder of the hub would hold them."""

from pathlib import Path
from typing import Any

import torch
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, processors, trainers
from transformers import (
    BertConfig,
    BertForSequenceClassification,
    ModernBertConfig,
    ModernBertForSequenceClassification,
    PreTrainedModel,
    PreTrainedTokenizerFast,
    Qwen3Config,
    Qwen3ForCausalLM,
    XLMRobertaConfig,
    XLMRobertaForSequenceClassification,
)

TEXTS = [
    "The seal of the pump leaks when the shaft is worn.",
    "Replace the bearing every 2,000 hours of service.",
    "Which pump has a worn seal? yes no yes no",
    "A motor that hums but does not turn needs a new capacitor.",
    "How often is the bearing of the motor replaced?",
    "Pressure above 6 bar opens the relief valve at once.",
]
CHAT = ["<|im_start|>", "<|im_end|>", "<|endoftext|>", "<think>", "</think>"]
MASKED = ["[PAD]", "[UNK]", "[CLS]", "[SEP]"]
SMALL: dict[str, Any] = {
    "hidden_size": 16,
    "num_hidden_layers": 2,
    "num_attention_heads": 2,
    "intermediate_size": 24,
    "initializer_range": 0.6,  # scores of untrained models would all be alike otherwise
}


def bert(folder: Path, *, labels: int = 1, positions: int = 64) -> Path:
    """A BERT whose tokenizer gives query and passage token types of their own."""
    tokenizer = _words("[CLS] $A [SEP] $B:1 [SEP]:1")
    config = BertConfig(
        vocab_size=tokenizer.get_vocab_size(),
        max_position_embeddings=positions,
        pad_token_id=0,
        **(SMALL | {"num_labels": labels}),
    )
    return _saved(folder, BertForSequenceClassification, config, tokenizer, pad="[PAD]")


def modern(folder: Path, *, labels: int = 1) -> Path:
    """A ModernBERT: no token types, rotary positions, local attention."""
    tokenizer = _words("[CLS] $A [SEP] $B [SEP]")
    config = ModernBertConfig(
        vocab_size=tokenizer.get_vocab_size(),
        max_position_embeddings=64,
        pad_token_id=0,
        cls_token_id=2,
        sep_token_id=3,
        bos_token_id=2,
        eos_token_id=3,
        local_attention=8,
        initializer_cutoff_factor=2.0,
        **(SMALL | {"num_labels": labels}),
    )
    return _saved(folder, ModernBertForSequenceClassification, config, tokenizer, pad="[PAD]")


def xlm_roberta(folder: Path, *, labels: int = 1) -> Path:
    """An XLM-RoBERTa: sentence pieces, two marks between the texts, positions from 2 on."""
    marks = ["<s>", "<pad>", "</s>", "<unk>"]
    tokenizer = Tokenizer(models.Unigram())
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
    tokenizer.train_from_iterator(
        TEXTS, trainers.UnigramTrainer(vocab_size=180, special_tokens=marks, unk_token="<unk>")
    )
    tokenizer.post_processor = processors.TemplateProcessing(
        single="<s> $A </s>",
        pair="<s> $A </s> </s> $B </s>",
        special_tokens=[("<s>", 0), ("</s>", 2)],
    )
    config = XLMRobertaConfig(
        vocab_size=tokenizer.get_vocab_size(),
        max_position_embeddings=66,
        type_vocab_size=1,
        pad_token_id=1,
        **(SMALL | {"num_labels": labels}),
    )
    return _saved(folder, XLMRobertaForSequenceClassification, config, tokenizer, pad="<pad>")


def qwen(folder: Path, *, chat: bool = True, words: str = "yes no") -> Path:
    """A Qwen3 with a tokenizer of bytes that holds the chat's marks and the two answers."""
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    tokenizer.train_from_iterator(
        [*TEXTS, *words.split() * 50],
        trainers.BpeTrainer(
            vocab_size=400,
            special_tokens=CHAT if chat else CHAT[2:],
            initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
            show_progress=False,
        ),
    )
    config = Qwen3Config(
        vocab_size=tokenizer.get_vocab_size(),
        num_key_value_heads=1,
        head_dim=8,
        max_position_embeddings=1_024,
        **SMALL,
    )
    return _saved(folder, Qwen3ForCausalLM, config, tokenizer, pad="<|endoftext|>")


def _words(pair: str) -> Tokenizer:
    tokenizer = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.train_from_iterator(
        TEXTS, trainers.WordPieceTrainer(vocab_size=200, special_tokens=MASKED, show_progress=False)
    )
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", pair=pair, special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
    )
    return tokenizer


def _saved(
    folder: Path,
    kind: type[PreTrainedModel],
    config: Any,
    tokenizer: Tokenizer,
    *,
    pad: str,
) -> Path:
    torch.manual_seed(5)
    kind(config).save_pretrained(folder)
    inputs = ["input_ids", "attention_mask"]
    if kind is BertForSequenceClassification:
        inputs.append("token_type_ids")
    wrapped = PreTrainedTokenizerFast(  # type: ignore[no-untyped-call]
        tokenizer_object=tokenizer, pad_token=pad, model_input_names=inputs
    )
    wrapped.save_pretrained(folder)
    return folder
