"""A summary out of a capsule's own sentences.

Law: verbatim, bounded, deterministic. Sentences are taken for what they share with the rest of the capsule, in the
order they were said, each with the thought it stands in as its evidence. The confidence is the share of the capsule's
telling words, by occurrence, that the summary says. What is made of a private thought is private (ruling H).

Source: spec retrieval-contract, Tier 2 and Entity-Level Provenance; ruling A21 (which stretches can be read alone).
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from voice.core.graph.passages import statement_spans
from voice.core.recall.values import Capsule, Summary, summary_id
from voice.core.recall.words import content_stems
from voice.core.records import TRUST_RANK, Thought, TrustTier
from voice.core.text.capping import cap_span
from voice.core.text.normalise import norm_v1

MAX_SENTENCES = 5
MAX_SENTENCE_CHARS = 400
_PLACES = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Extract:
    """A made summary and the lowest trust of what it is made of."""

    summary: Summary
    trust: TrustTier


@dataclass(frozen=True, slots=True, kw_only=True)
class _Sentence:
    thought: Thought
    text: str
    stems: frozenset[str]


def extract_summary(capsule: Capsule, thoughts: Sequence[Thought]) -> Extract | None:
    """Return a summary of `capsule` made of what its thoughts say, or None when they say nothing.

    Args:
        capsule: whose summary it is.
        thoughts: those of its thoughts that the reader may see, in any order.
    """
    spoken = sorted(thoughts, key=lambda thought: (thought.created_at, thought.id))
    counts = Counter(content_stems(thought.content for thought in spoken))
    chosen = _chosen([sentence for thought in spoken for sentence in _sentences(thought)], counts)
    if not chosen:
        return None
    said = frozenset[str]().union(*(sentence.stems for sentence in chosen))
    behind = list(dict.fromkeys(sentence.thought.id for sentence in chosen))
    made_of = [sentence.thought for sentence in chosen]
    summary = Summary(
        id=summary_id(capsule.id),
        capsule_id=capsule.id,
        content="\n".join(sentence.text for sentence in chosen),
        confidence=_share(said, counts),
        evidence_refs=tuple(behind),
        created_at=max(thought.created_at for thought in made_of),
        scope=capsule.scope,
        is_private=any(thought.is_private for thought in made_of),
    )
    return Extract(summary=summary, trust=min((one.trust for one in made_of), key=TRUST_RANK.__getitem__))


def _sentences(thought: Thought) -> list[_Sentence]:
    found: list[_Sentence] = []
    for start, end in statement_spans(thought.content, in_dialogue=thought.speaker is not None):
        text = thought.content[start:end]
        text = text[slice(*cap_span(text, lower=MAX_SENTENCE_CHARS // 2, upper=MAX_SENTENCE_CHARS))]
        found.append(_Sentence(thought=thought, text=text, stems=frozenset(content_stems([text]))))
    return found


def _chosen(sentences: list[_Sentence], counts: Counter[str]) -> list[_Sentence]:
    """Return the sentences that share most with the rest, one of each text, in the order they were given."""
    once = list({norm_v1(sentence.text): sentence for sentence in reversed(sentences)}.values())[::-1]
    worth = [(-_weight(sentence, counts), place) for place, sentence in enumerate(once)]
    return [once[place] for place in sorted(place for _, place in sorted(worth)[:MAX_SENTENCES])]


def _weight(sentence: _Sentence, counts: Counter[str]) -> float:
    """Return how often the capsule says a word of the sentence: a long one gains nothing by its length."""
    total = sum(counts[stem] for stem in sorted(sentence.stems))
    return round(total / (len(sentence.stems) + 3), 6)


def _share(said: frozenset[str], counts: Counter[str]) -> float:
    everything = sum(counts.values())
    return round(sum(counts[stem] for stem in said) / everything, _PLACES) if everything else 0.0
