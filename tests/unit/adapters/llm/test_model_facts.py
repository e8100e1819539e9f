"""A model is counted by its own vocabulary where that is on this machine, and nothing is fetched."""

import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest
import tiktoken

from tables import tables
from voice.adapters.llm import model_facts
from voice.adapters.llm.model_facts import ModelCounter, counter_named, counter_of, vocabulary_of
from voice.core.token_estimates import ESTIMATE, estimate_tokens
from voice.ports.llm import ModelProfile

TABLES = tables(__file__)

TEXT = "Mum's knee is worse again; KX-4417-B costs 129.95.\n\n昨天 😀 <|endoftext|>"

pytestmark = pytest.mark.requirement("ruling:D15")


def profile(provider: str, model: str) -> ModelProfile:
    return ModelProfile(
        provider=provider, model=model, context_tokens=1000, max_output_tokens=100, remote=True, price=None
    )


@pytest.mark.parametrize(("provider", "model", "name"), TABLES["the_vocabulary_goes_by_the_name_of_the_model"])
def test_the_vocabulary_goes_by_the_name_of_the_model(provider: str, model: str, name: str | None) -> None:
    assert vocabulary_of(provider, model) == name
    assert counter_of(profile(provider, model)).name == (name or ESTIMATE)


@pytest.mark.parametrize("name", ["cl100k_base", "o200k_base"])
def test_the_count_is_what_the_published_tokenizer_counts(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    spec = find_spec("litellm")
    assert spec is not None
    folder = Path(spec.origin or "").parent / "litellm_core_utils" / "tokenizers"
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", str(folder))
    published = tiktoken.get_encoding(name)
    assert ModelCounter(name).count(TEXT) == len(published.encode_ordinary(TEXT)) + 2
    assert ModelCounter(name).count(TEXT) < estimate_tokens(TEXT)


@pytest.mark.parametrize("missing", ["litellm", "tiktoken", "the file", "its hash"])
def test_where_the_vocabulary_is_not_there_or_not_as_published_the_estimate_counts(
    missing: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    class Elsewhere:
        origin = str(tmp_path / "__init__.py")

    def found(name: str) -> object:
        return (
            None if name == missing else Elsewhere if name == "litellm" and missing != "tiktoken" else find_spec(name)
        )

    if missing == "its hash":
        folder = tmp_path / "litellm_core_utils" / "tokenizers"
        folder.mkdir(parents=True)
        (folder / "9b5ad71b2ce5302211f9c61530b329a4922fc6a4").write_bytes(b"IQ== 0\n")
    monkeypatch.setattr(model_facts, "find_spec", found)
    model_facts.forget()
    try:
        counter = ModelCounter("cl100k_base")
        assert (counter.name, counter.count(TEXT)) == (ESTIMATE, estimate_tokens(TEXT))
        assert counter_named("cl100k_base") is None
    finally:
        model_facts.forget()


def test_a_prompt_finds_the_counter_again_that_it_was_fitted_by() -> None:
    counter = counter_named("o200k_base")
    assert counter is not None
    assert counter.name == "o200k_base"
    assert counter_named("p50k_base") is None


def test_nothing_is_loaded_before_a_text_is_counted() -> None:
    program = (
        "import sys; from voice.adapters.llm.model_facts import ModelCounter; ModelCounter('o200k_base'); "
        "assert not {'tiktoken', 'litellm'} & set(sys.modules); ModelCounter('o200k_base').count('a'); "
        "assert 'tiktoken' in sys.modules and 'litellm' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", program], check=True)
