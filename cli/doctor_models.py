"""The doctor on models: weights of the built-in ones, and the key of a chat model."""

import importlib.util
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from ..models.registry import builtin_models
from .check import Check
from .model_files import WRONG, meaning


@dataclass(frozen=True, slots=True)
class Provider:
    """What a provider's chat models need: a package and, where it is not local, a key."""

    package: str
    key: str | None


PROVIDERS: Mapping[str, Provider] = {
    "openai": Provider("langchain_openai", "OPENAI_API_KEY"),
    "azure_openai": Provider("langchain_openai", "AZURE_OPENAI_API_KEY"),
    "anthropic": Provider("langchain_anthropic", "ANTHROPIC_API_KEY"),
    "google_genai": Provider("langchain_google_genai", "GOOGLE_API_KEY"),
    "mistralai": Provider("langchain_mistralai", "MISTRAL_API_KEY"),
    "groq": Provider("langchain_groq", "GROQ_API_KEY"),
    "cohere": Provider("langchain_cohere", "COHERE_API_KEY"),
    "deepseek": Provider("langchain_deepseek", "DEEPSEEK_API_KEY"),
    "xai": Provider("langchain_xai", "XAI_API_KEY"),
    "ollama": Provider("langchain_ollama", None),
}

_FAMILIES = {"gpt": "openai", "o1": "openai", "o3": "openai", "o4": "openai"} | {
    "claude": "anthropic",
    "gemini": "google_genai",
    "mistral": "mistralai",
    "command": "cohere",
    "deepseek": "deepseek",
    "grok": "xai",
}
"""Providers that LangChain infers from the beginning of a model's name."""


def model_checks() -> list[Check]:
    """Compare the files of the built-in models with what was published."""
    return [
        Check(
            "models",
            "error" if model.state in WRONG else "ok",
            f"{model.role}: {model.name}: {meaning(model)}.",
            "headwater models verify",
        )
        for model in builtin_models()
    ]


def chat_checks(name: str | None) -> Iterator[Check]:
    """Check package and key of a chat model; a key is never read, only whether it is set."""
    if name is None:
        yield Check("chat", "ok", "No chat model is configured: every step works built-in.")
        return
    provider = PROVIDERS.get(provider_of(name) or "")
    if provider is None:
        fix = "Ask a question and look for warnings in its steps."
        yield Check("chat", "warning", f"The provider of {name!r} is not known here.", fix)
        return
    yield _package("langchain", "headwater[chat]")
    yield _package(provider.package, provider.package.replace("_", "-"))
    if provider.key:
        yield _key(name, provider.key)


def provider_of(name: str) -> str | None:
    """Give the provider: the part before a colon, or the one that LangChain infers."""
    before, colon, _ = name.partition(":")
    if colon:
        return before.lower().replace("-", "_")
    return next((p for family, p in _FAMILIES.items() if name.lower().startswith(family)), None)


def _package(module: str, distribution: str) -> Check:
    if importlib.util.find_spec(module) is None:
        fix = f"pip install '{distribution}'"
        return Check("chat", "error", f"The package {module} is not installed.", fix)
    return Check("chat", "ok", f"The package {module} is installed.")


def _key(name: str, variable: str) -> Check:
    if os.environ.get(variable):
        return Check("chat", "ok", f"{variable} is set.")
    return Check("chat", "error", f"{variable} is not set, {name!r} needs it.", f"Set {variable}.")
