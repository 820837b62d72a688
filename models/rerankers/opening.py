"""Open a reranker from a folder or the hub."""

from pathlib import Path
from typing import TYPE_CHECKING, Literal

from ...domain.errors import ConfigurationError
from ..device import chosen_device
from ..hub import hub_folder, is_hub_id
from ..tokenizer import load_tokenizer
from .folder import Description, describe
from .forms import MarkedPairs, PairForm, YesNoPrompt
from .ranker import PairRanker
from .reading import PassageReader

if TYPE_CHECKING:
    import torch
    from tokenizers import Tokenizer
    from transformers import PreTrainedModel
    from transformers.models.auto.auto_factory import _BaseAutoModelClass

    from .heads import Head

Precision = Literal["auto", "float32", "bfloat16"]


def open_reranker(name: str, *, device: str = "auto", precision: Precision = "auto") -> PairRanker:
    """Open the reranker in a folder, or the one of the hub by its id.

    A folder wins over a hub id of the same name. Sequence classifiers with one or two labels
    serve, and causal models that answer yes or no as Qwen3-Reranker does. `precision` is bfloat16
    on CUDA and float32 elsewhere unless it is given: bfloat16 is faster on most processors too, at
    the price of scores that move a little.

    Raises:
        ConfigurationError: there is no such model or device, or the model cannot give a score.
        ModelUnavailableError: the model is not on this machine, and the hub cannot be reached.
    """
    description = describe(*_place(name))
    chosen = chosen_device(device)
    tokenizer = load_tokenizer(description.folder)
    half = precision == "bfloat16" or (precision == "auto" and chosen == "cuda")
    form, head = _parts(description, tokenizer, chosen, half=half)
    from .heads import scorer_of

    scorer = scorer_of(head, name=description.name, device=chosen, pad=description.pad, alike=half)
    return PairRanker(PassageReader(tokenizer, form), scorer)


def _place(name: str) -> tuple[Path, str]:
    """Give the folder with the files, and what the model is called."""
    folder = Path(name).expanduser()
    if folder.is_dir():
        return folder, folder.resolve().name
    if not is_hub_id(name):
        raise ConfigurationError(
            f"The reranker {name!r} is neither a folder nor a model of the hub.",
            fix="Correct the path, or give an id such as 'BAAI/bge-reranker-v2-m3'.",
        )
    return hub_folder(name), name.rpartition("/")[2]


def _parts(
    description: Description, tokenizer: "Tokenizer", device: str, *, half: bool
) -> "tuple[PairForm, Head]":
    import torch
    from transformers import AutoModelForCausalLM, AutoModelForSequenceClassification

    from .heads import LabelHead, YesNoHead

    dtype = torch.bfloat16 if half else torch.float32
    if description.head == "yes or no":
        prompt = YesNoPrompt(tokenizer, description.max_tokens)
        model = _load(AutoModelForCausalLM, description, device, dtype)
        return prompt, YesNoHead(model, yes=prompt.yes, no=prompt.no)
    pairs = MarkedPairs(tokenizer, description.max_tokens)
    model = _load(AutoModelForSequenceClassification, description, device, dtype)
    return pairs, LabelHead(model, types=description.types)


def _load(
    kind: "type[_BaseAutoModelClass]",
    description: Description,
    device: str,
    dtype: "torch.dtype",
) -> "PreTrainedModel":
    """Load the network; only weights without code (safetensors) are read."""
    try:
        model, found = kind.from_pretrained(
            description.folder,
            dtype=dtype,
            use_safetensors=True,
            local_files_only=True,
            output_loading_info=True,
        )
    except Exception as error:  # transformers and safetensors share no base class for bad files
        raise ConfigurationError(
            f"The reranker in {str(description.folder)!r} cannot be loaded: {error}.",
            fix="It must be a model that transformers knows, with model.safetensors.",
        ) from error
    if missing := sorted(found["missing_keys"]):
        # What is missing was filled with random numbers.
        raise ConfigurationError(
            f"The weights in {str(description.folder)!r} lack {', '.join(missing[:3])}.",
            fix="Use a model that was trained as a reranker, not its encoder alone.",
        )
    model.to(device).eval()
    loaded: PreTrainedModel = model
    return loaded
