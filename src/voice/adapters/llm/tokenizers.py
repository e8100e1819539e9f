"""The tokenizer of a model, where it is on this machine.

Law: a model is counted by its own vocabulary where litellm carries that, and by the estimate otherwise (ruling D15).
Nothing is fetched: the file is read here and must have the hash it was published with, and tiktoken is handed what is
in it; tiktoken's own way to a vocabulary, which asks a server for what it does not find, is never gone. The first text
that is counted loads it, which takes about a second of CPU; the import of this module loads nothing. Safe to call from
several threads.
"""

import hashlib
import importlib
from base64 import b64decode
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from threading import Lock
from typing import Final, Protocol, cast

from voice.core.token_estimates import ConservativeCounter
from voice.ports.llm import ModelProfile, TokenCounter

_EDGES: Final = 2
"""For what the ends of a text may have cut, so that parts are not counted below their whole."""
_VENDORS: Final = ("openai", "azure", "text-completion-openai")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Vocabulary:
    """A published vocabulary."""

    file: str
    """Its name in litellm's folder: the SHA-1 of the address it was published at."""
    sha256: str
    words: str
    """The pattern that cuts a text into what is merged by itself."""


_ENDINGS: Final = "(?i:'s|'t|'re|'ve|'m|'ll|'d)?"
_VOCABULARIES: Final = {
    "cl100k_base": _Vocabulary(
        file="9b5ad71b2ce5302211f9c61530b329a4922fc6a4",
        sha256="223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7",
        words=(
            r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+| ?[^\s\p{L}\p{N}]++[\r\n]*+"
            r"|\s++$|\s*[\r\n]|\s+(?!\S)|\s"
        ),
    ),
    "o200k_base": _Vocabulary(
        file="fb374d419588a4632f3f557e76b4b70aebbca790",
        sha256="446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d",
        words=(
            rf"[^\r\n\p{{L}}\p{{N}}]?[\p{{Lu}}\p{{Lt}}\p{{Lm}}\p{{Lo}}\p{{M}}]*[\p{{Ll}}\p{{Lm}}\p{{Lo}}\p{{M}}]+{_ENDINGS}"
            rf"|[^\r\n\p{{L}}\p{{N}}]?[\p{{Lu}}\p{{Lt}}\p{{Lm}}\p{{Lo}}\p{{M}}]+[\p{{Ll}}\p{{Lm}}\p{{Lo}}\p{{M}}]*{_ENDINGS}"
            r"|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+"
        ),
    ),
}
_OF_MODELS: Final = (  # the first that a model's name begins with
    ("cl100k_base", ("gpt-4-", "gpt-3.5-turbo", "gpt-35-turbo", "ft:gpt-4-", "ft:gpt-4:", "ft:gpt-3.5-turbo")),
    ("o200k_base", ("gpt-4o", "gpt-4.1", "gpt-4.5", "gpt-5", "gpt-oss", "chatgpt-4o", "ft:gpt-4o", "ft:gpt-4.1")),
    ("o200k_base", ("o1-", "o3-", "o4-")),
)
_WHOLE_NAMES: Final = {"gpt-4": "cl100k_base", "o1": "o200k_base", "o3": "o200k_base"}
_loading = Lock()


class _Encoding(Protocol):
    """The part of tiktoken that is used."""

    def encode_ordinary(self, text: str) -> Sequence[int]:
        """Return the tokens of `text`; what looks like a special token is text."""
        ...


class ModelCounter:
    """The `TokenCounter` of models whose vocabulary is on this machine; the estimate where it turns out not to be."""

    def __init__(self, vocabulary: str) -> None:
        """Count by the vocabulary of this name, which is loaded with the first text."""
        self._vocabulary = vocabulary
        self._counted = lru_cache(maxsize=64)(self._count)

    @property
    def name(self) -> str:
        """The vocabulary, or the version of the estimate."""
        return self._vocabulary if _load(self._vocabulary) else ConservativeCounter().name

    def count(self, text: str) -> int:
        """Return the exact count and two more; 0 only for an empty text."""
        return self._counted(text) if text else 0

    def _count(self, text: str) -> int:
        encoding = _load(self._vocabulary)
        return ConservativeCounter().count(text) if encoding is None else len(encoding.encode_ordinary(text)) + _EDGES


def counter_of(profile: ModelProfile) -> TokenCounter:
    """Return what counts the tokens of a model: its own tokenizer if it is known which; nothing is loaded yet."""
    vocabulary = vocabulary_of(profile.provider, profile.model)
    return ConservativeCounter() if vocabulary is None else ModelCounter(vocabulary)


def counter_named(name: str) -> TokenCounter | None:
    """Return the counter that a prompt was counted by, if it is a vocabulary on this machine."""
    return ModelCounter(name) if name in _VOCABULARIES and _load(name) else None


def vocabulary_of(provider: str, model: str) -> str | None:
    """Return the name of a model's vocabulary, by the model's name; None where it is not one that OpenAI published."""
    is_theirs = provider in _VENDORS or model.startswith("openai/")
    name = model.removeprefix("openai/")
    if not is_theirs:
        return None
    found = (each for each, starts in _OF_MODELS if name.startswith(starts))
    return _WHOLE_NAMES.get(name) or next(found, None)


def forget() -> None:
    """Drop what is loaded, for a machine whose files have changed."""
    _loaded.cache_clear()


def _load(name: str) -> _Encoding | None:
    with _loading:  # else threads that count at once would each load it
        return _loaded(name)


@lru_cache(maxsize=len(_VOCABULARIES))
def _loaded(name: str) -> _Encoding | None:
    vocabulary = _VOCABULARIES[name]
    content = _read(vocabulary)
    if content is None or find_spec("tiktoken") is None:
        return None
    ranks = {b64decode(token): int(rank) for token, rank in map(bytes.split, content.splitlines())}
    made = importlib.import_module("tiktoken").Encoding(
        name=name, pat_str=vocabulary.words, mergeable_ranks=ranks, special_tokens={}
    )
    return cast("_Encoding", made)


def _read(vocabulary: _Vocabulary) -> bytes | None:
    """Return what litellm carries of a vocabulary; None where it is not there, or not as it was published."""
    spec = find_spec("litellm")
    if spec is None or spec.origin is None:
        return None
    file = Path(spec.origin).parent / "litellm_core_utils" / "tokenizers" / vocabulary.file
    content = file.read_bytes() if file.is_file() else b""
    return content if hashlib.sha256(content).hexdigest() == vocabulary.sha256 else None
