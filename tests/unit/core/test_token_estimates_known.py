"""The estimate against texts whose true counts are known, whole and cut anywhere."""

import pytest
from bench.tokens import SHORTEST_SLICE, Sample, highest_count, main, measure, over, samples
from hypothesis import given, settings
from hypothesis import strategies as st

from voice.core.token_estimates import estimate_tokens

SAMPLES = samples()
KINDS = {"english", "german", "greek", "chinese", "json", "code", "emoji"}
ODD_KINDS = {
    *("single letters", "random letters", "capitals", "punctuation", "base64", "JWT"),
    *("rare Han", "rare Cyrillic", "pointed Hebrew", "Korean"),
}


def test_there_are_samples_of_every_kind() -> None:
    assert {sample["kind"] for sample in SAMPLES} == KINDS | ODD_KINDS
    assert all(len(sample["slices"]) >= 100 for sample in SAMPLES)
    assert all(end - start >= SHORTEST_SLICE for sample in SAMPLES for start, end, _ in sample["slices"])


@pytest.mark.requirement("tokens:never-below", "ruling:D15")
@pytest.mark.parametrize("sample", SAMPLES, ids=lambda sample: f"{sample['kind']} {sample['text'][:12]!a}")
def test_the_estimate_is_never_below_a_known_count(sample: Sample) -> None:
    assert min(over(sample)) >= 1


@pytest.mark.requirement("tokens:never-below")
@pytest.mark.parametrize(
    ("kind", "most"),
    [("english", 1.6), ("german", 1.5), ("greek", 1.3), ("chinese", 1.5), ("json", 1.6), ("code", 1.5), ("emoji", 1.4)],
)
def test_the_estimate_is_not_far_above_either(kind: str, most: float) -> None:
    (measured,) = measure([sample for sample in SAMPLES if sample["kind"] == kind])
    assert 1 <= measured.least_over <= measured.mean_over <= most


@pytest.mark.slow
@pytest.mark.requirement("tokens:never-below", "ruling:D15")
def test_the_estimate_holds_for_any_slice_of_a_sample() -> None:
    count = highest_count()
    if count is None:
        pytest.skip("the vocabularies that litellm carries are not installed")
    assert [count(sample["text"]) for sample in SAMPLES] == [sample["tokens"] for sample in SAMPLES]

    @settings(max_examples=100)
    @given(st.sampled_from(SAMPLES), st.data())
    def holds(sample: Sample, data: st.DataObject) -> None:
        text = sample["text"]
        start = data.draw(st.integers(0, len(text) - SHORTEST_SLICE))
        part = text[start : data.draw(st.integers(start + SHORTEST_SLICE, len(text)))]
        assert count(part) <= estimate_tokens(part)

    holds()


def test_the_benchmark_prints_its_figures(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--json"]) == 0
    assert '"kind": "greek"' in capsys.readouterr().out
    assert main([]) == 0
    assert "estimate by true" in capsys.readouterr().out
