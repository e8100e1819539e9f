"""Claims made true and false on purpose: what is changed, what is not, and what they are held out with."""

import json
from collections import Counter
from pathlib import Path
from random import Random

import pytest
from bench.verifier.corruptions import TRUE, Made, made_of
from bench.verifier.examples import NEVER_HELD_OUT, made_examples

from voice.core.errors import DataFileError

TALK = (
    "Ada: Wow, I'm glad that I moved the old kiln to Bergen with Clara, and the neighbours helped for three days!",
    "Clara: I was not there on the second day, because my brother Otto needed the green van in Oslo.",
    "Otto: My sister sold 12 vases at the winter market in Trondheim.",
    "Ada: The glaze dries slowly near the northern window.",
)
DOCUMENTS: list[tuple[str, ...]] = [TALK[:2], TALK[1:3], TALK[2:]]


def made(seed: int, documents: list[tuple[str, ...]] = DOCUMENTS) -> list[Made]:
    return made_of(documents, 40, Random(seed))


def all_made() -> list[Made]:
    return [one for seed in range(60) for one in made(seed)]


def test_the_same_seed_makes_the_same_claims() -> None:
    assert made(7) == made(7)
    assert made(7) != made(8)


def test_every_kind_is_made_and_a_true_one_for_every_sentence() -> None:
    kinds = Counter(one.kind for one in all_made())
    assert set(kinds) == {TRUE, "number", "name", "negation", "roles", "other memory", "detail", "added"}
    assert not Made(kind=TRUE, text="", sources=()).is_false
    assert all(one.sources in DOCUMENTS for one in made(1))


def test_a_true_claim_names_who_speaks_and_brings_nothing_else() -> None:
    texts = {one.text for one in all_made() if one.kind == TRUE and "kiln" in one.text}
    assert all(text.startswith("Ada") for text in texts)
    assert {"neighbours" in text for text in texts} == {True, False}, "a clause may be left out"
    assert not any("Wow" in text or " I " in text for text in texts)


def test_a_false_claim_says_what_its_source_does_not() -> None:
    for one in all_made():
        shown = " ".join(one.sources)
        assert not one.is_false or one.text not in shown, one.kind
    negated = {one.text for one in all_made() if one.kind == "negation"}
    assert any("Clara was there on the second day" in text for text in negated)
    counted = [one for one in all_made() if one.kind == "number"]
    assert all(" 12 " not in one.text and "three days" not in one.text for one in counted)


def test_questions_fragments_and_captions_are_not_made_of() -> None:
    rows = (
        "Ada: Is the old kiln in Bergen warm enough today?",
        "Ada: Great!",
        "Ada: [a photo of one old kiln in a shed]",
    )
    assert made_of([rows], 40, Random(1)) == []
    assert made_of([("Ada: The old kiln in Bergen is warm enough today.",)], 40, Random(1)) != []


def test_what_is_made_is_held_out_with_its_file_and_a_memory_with_the_fold_that_has_its_rows(tmp_path: Path) -> None:
    sources = [{"id": f"s{at}", "text": text} for at, text in enumerate(TALK)]
    lines = [json.dumps({"set": "x", "sources": sources, "answer": TALK[0], "label": "supported"})]
    first, second = tmp_path / "a.jsonl", tmp_path / "b.jsonl"
    first.write_text("\n".join(lines), encoding="utf-8")
    other = [{"id": "s1", "text": "Nobody of these people lives in the northern town of Bergen now."}]
    second.write_text(json.dumps({"set": "y", "sources": other, "answer": "x", "label": "supported"}), encoding="utf-8")
    rows = [dict(zip(("speaker", "text"), text.split(": ", 1), strict=True)) for text in TALK]
    strange = [{"speaker": None, "text": "The museum of the harbour opened its doors in May."} for _ in range(4)]
    memory = tmp_path / "m.json"
    memory.write_text(json.dumps({"corpora": [{"items": rows}, {"items": strange}]}), encoding="utf-8")

    found = made_examples([[second], [first]], [memory], of_each=12, seed=1)

    assert {one.fold for one in found} == {0, 1, NEVER_HELD_OUT}
    assert all(one.is_made and one.is_trained_on for one in found)
    assert {one.is_unsupported for one in found} == {True, False}


def test_a_memory_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    with pytest.raises(DataFileError, match=r"gone\.json"):
        made_examples([], [tmp_path / "gone.json"], of_each=1, seed=1)
