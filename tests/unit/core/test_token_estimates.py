"""The estimate of tokens stays above the true counts of real vocabularies, on everything people write.

The estimate against texts whose true counts are known, whole and cut anywhere.
"""

from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path

import pytest
import tiktoken
from bench.tokens import SHORTEST_SLICE, Sample, highest_count, main, measure, over, samples
from hypothesis import given, settings
from hypothesis import strategies as st
from tokenizers import Tokenizer

from tables import tables
from voice.core.token_estimates import ConservativeCounter, estimate_tokens, first_estimate, second_estimate

TABLES = tables(__file__)

_ENGLISH = (
    "I went to the support group yesterday and it was powerful. Afterwards we walked along the river, talked about "
    "the kitchen, and decided to postpone the renovation until spring because the quote had gone up by a third. "
)
_GERMAN = (
    "Gestern habe ich mit dem Architekten über die Küchenrenovierung gesprochen; die Fördermöglichkeiten sind "
    "überraschend großzügig, aber die Handwerkerverfügbarkeit bleibt schwierig. Übermorgen sehen wir weiter. "
)
_GREEK = "Η Ζωή πήγε χθες στην αγορά και αγόρασε φρέσκα ψάρια για το βραδινό. Μετά περπάτησε ως τη θάλασσα. "
_CHINESE = "昨天我和妈妈去了超市,买了很多水果和蔬菜。晚上我们一起做饭,聊了很久关于明年的计划。"
_JAPANESE = "昨日は母と一緒にスーパーへ行って、果物や野菜をたくさん買いました。夜は一緒に料理をしました。"
_RUSSIAN = "Вчера я встретился с друзьями, и мы долго обсуждали планы на следующий год, потом пошли гулять. "
_ARABIC = "ذهبت أمس إلى السوق واشتريت الكثير من الفواكه والخضروات ثم عدت إلى البيت متعبا. "
_POLISH = "Wczoraj byłam u lekarza i okazało się, że muszę więcej odpoczywać; wieczorem zadzwoniłam do mamy. "
_JSON = (
    '{"id": "o:01jx3k9q", "created_at": "2026-03-05T14:00:00Z", "tags": ["work", "zine"], "origin": "human", '
    '"is_private": false, "revision": 12, "score": 0.8712, "text": "The tiles cost 1,240 EUR."}\n'
)
_CODE = (
    "def parse(text: str) -> dict[str, int]:\n    for i, row in enumerate(text.splitlines()):\n"
    "        if not row.strip() or row.startswith('#'):\n            continue\n"
    "        key, _, value = row.partition('=')\n        out[key] = int(value, base=16)\n    return out\n\n"
)
_URLS = (
    "https://www.youtube.com/watch?v=dQw4w9WgXcQ&t=42s https://example.com/a/b-c_d/?utm_source=mail&id=9f86d081884c7d65"
    "#section-3 https://github.com/surrealdb/surrealdb/issues/4512 "
)
_EMOJI = "😀👍🏽🎉🔥❤️👨‍👩‍👧‍👦🇩🇪☕️✨🙏🏿🤷‍♀️ so happy 😂 see you at 5 🥳 "
_PROMPT = '<source id="S12" date="2026-03-05" kind="observation" speaker="Anna">I moved to Berlin in May.</source>\n'
_TEXTS: Mapping[str, str] = {
    "english": _ENGLISH, "german": _GERMAN, "greek": _GREEK, "chinese": _CHINESE, "japanese": _JAPANESE,
    "russian": _RUSSIAN, "arabic": _ARABIC, "polish": _POLISH, "json": _JSON, "code": _CODE, "urls": _URLS,
    "emoji": _EMOJI, "prompt": _PROMPT,
}  # fmt: skip
_LOOSEST: Mapping[str, float] = {"english": 1.7, "prompt": 1.7, "json": 1.6, "chinese": 1.8, "german": 1.6}
"""How far above the highest true count the estimate may lie, for what most prompts are made of."""


@pytest.fixture(scope="module")
def true_counts() -> Mapping[str, int]:
    """The highest count of the three vocabularies that are installed with litellm; nothing is downloaded."""
    spec = find_spec("litellm")
    folder = Path(spec.origin or "").parent / "litellm_core_utils" / "tokenizers" if spec else Path("/nonexistent")
    if not (folder / "anthropic_tokenizer.json").exists():
        pytest.skip("the vocabularies that litellm carries are not installed")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TIKTOKEN_CACHE_DIR", str(folder))
        openai = [tiktoken.get_encoding(name) for name in ("o200k_base", "cl100k_base")]
    claude = Tokenizer.from_file(str(folder / "anthropic_tokenizer.json"))

    def highest(text: str) -> int:
        return max(*(len(encoding.encode_ordinary(text)) for encoding in openai), len(claude.encode(text).ids))

    return {name: highest(text * 3) for name, text in _TEXTS.items()}


@pytest.mark.slow
@pytest.mark.requirement("ruling:D15")
@pytest.mark.parametrize("kind", _TEXTS)
def test_no_vocabulary_finds_more_tokens_than_estimated(kind: str, true_counts: Mapping[str, int]) -> None:
    assert true_counts[kind] <= estimate_tokens(_TEXTS[kind] * 3)


@pytest.mark.slow
@pytest.mark.parametrize("kind", _LOOSEST)
def test_the_estimate_wastes_little_of_a_budget(kind: str, true_counts: Mapping[str, int]) -> None:
    assert estimate_tokens(_TEXTS[kind] * 3) <= _LOOSEST[kind] * true_counts[kind]


@pytest.mark.requirement("ruling:D15", "promise:7")
@pytest.mark.parametrize(("text", "tokens"), TABLES["even_the_shortest_text_costs_something"])
def test_even_the_shortest_text_costs_something(text: str, tokens: int) -> None:
    assert estimate_tokens(text) == tokens


@pytest.mark.parametrize("flood", [" ", "\n", "\t", ".", "0", "A", "😀", "\u200b", "\x01", "字"])
def test_no_flood_of_one_character_is_nearly_free(flood: str) -> None:
    assert estimate_tokens(flood * 10_000) >= 600


@pytest.mark.requirement("tokens:never-below", "ruling:D15")
@pytest.mark.parametrize(
    ("random", "words"), TABLES["what_no_vocabulary_knows_costs_more_than_what_is_written_like_it"]
)
def test_what_no_vocabulary_knows_costs_more_than_what_is_written_like_it(random: str, words: str) -> None:
    assert estimate_tokens(random) / len(random) > 1.1 * estimate_tokens(words) / len(words)


@pytest.mark.parametrize("letter", "ahquvxz")
def test_a_row_of_one_letter_costs_no_more_than_a_word_as_long(letter: str) -> None:
    assert estimate_tokens(letter * 1000) == estimate_tokens("tone" * 250)


def test_a_contraction_is_not_a_letter_alone() -> None:
    assert estimate_tokens("it's " * 100) + 50 < estimate_tokens("it-s " * 100)


def test_the_counter_of_the_port_is_the_estimate() -> None:
    assert ConservativeCounter().count(_ENGLISH) == estimate_tokens(_ENGLISH)


@pytest.mark.requirement("ruling:D20")
@pytest.mark.parametrize(
    ("text", "tokens"),
    [("", 0), (" ", 1), ("a", 1), ("!", 1), ("7", 2), ("\n", 2), ("学", 2), ("😀", 4), ("\u0fff", 3), (_PROMPT, 53)],
)
def test_the_first_estimate_stays_as_it_was(text: str, tokens: int) -> None:
    """Prompts that were fitted by it are rebuilt by it."""
    assert first_estimate(text) == tokens


@pytest.mark.requirement("ruling:D20")
@pytest.mark.parametrize(
    ("text", "tokens"),
    [("", 0), ("b", 3), ("xkqv", 4), ("学", 4), ("龘", 4), ("뷁", 4), ("Щ", 3), ("ἀ", 5), (_PROMPT, 59)],
)
def test_the_second_estimate_stays_as_it_was(text: str, tokens: int) -> None:
    assert second_estimate(text) == tokens


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
