"""An answer made of the memory's own sentences, without any model.

Law: every sentence that states something is word for word in the evidence it cites; what is put around it (who said it,
on which day) is kept only where the judge finds the sentence quoted with it. Where nothing speaks to the
question the draft refuses: a weak quotation is not an answer. Two sentences come from two sources where there are two.
What holds now comes before what has ended, and what took something's place before it; of those that answer alike, or
disagree, the later comes first, unless what was is asked about, and each says its day. What has ended says its day.

    synthesize   the sentences that speak to the question, the most telling first
    challenge    the sentences that replaced the claim's like, or give other figures, the earlier first; none: a refusal
    question     one or two sentences, then a question about them that brings no name, number or date of its own

Source: DESIGN 7 (`extractive`); rulings A23, D1, D2, D5, D22.
"""

import json
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from itertools import compress
from typing import Literal

from voice.core.grounding.answerability.asked_back import question_back
from voice.core.grounding.answerability.asker import is_of_somebody_else
from voice.core.grounding.answerability.can_be_grounded import missing_in
from voice.core.grounding.answerability.cells import rows_asked_about
from voice.core.grounding.answerability.challenge import against
from voice.core.grounding.answerability.continued import with_what_goes_on
from voice.core.grounding.answerability.deeds import asked_deed
from voice.core.grounding.answerability.fit import Reading
from voice.core.grounding.answerability.identity import who_it_is
from voice.core.grounding.answerability.leaning import is_beside_what_is_leant_on
from voice.core.grounding.answerability.listed import listed_draft, listed_in, told_of
from voice.core.grounding.answerability.passages import MOST_READ, Passage, all_passages
from voice.core.grounding.answerability.quoting import Question, Quote, beside, content_of, rank_quotes, weigh_quotes
from voice.core.grounding.answerability.support import credited_share
from voice.core.grounding.answerability.ties import Ties, are_tied, is_of_another
from voice.core.grounding.answerability.whose import Whose
from voice.core.grounding.conflicts import has_ended
from voice.core.grounding.quotation.matching import quotations_in
from voice.core.grounding.values import Draft, DraftSentence, DraftSource, Evidence, Stance
from voice.core.text.checklists import Item, heading_above, item_of
from voice.core.text.dates import stated_dates
from voice.core.text.instants import in_order
from voice.core.text.patterns import late_pattern
from voice.core.text.tables import readable
from voice.core.text.words import words

MAX_QUOTES = 4
_KEEP = 0.7
"""Further sentences reach at least this share of the best one's score…"""
_KEEP_SECOND_SOURCE = 0.45
"""…but one of another source may be weaker."""
_KEEP_RELEVANCE = 0.65
"""Beside the best one stands nothing of a row that retrieval ranked under this share of its row."""
_NEWS = 0.4
"""A further sentence has at least this share of content words that none before it had."""
_SAME_WORDS = 0.9
"""Two sentences answer alike where the one holds this share of the question's words that the other holds…"""
_ALIKE = 0.85
"""…and reaches this share of its score…"""
_ONE_THING = 0.3
"""…or has so many of the words in common that the shorter of them has: the rent was 640, the rent is 665."""
_FEW = 4
_TOLD_OF_FEW = 0.4
"""The rows of an answer hold this share of the weight of a question's telling words, where these are few…"""
_TOLD_OF_MANY = 0.35
"""…and this where a question tells a story before it asks."""
Days = Literal["all", "undated", "ended"]
"""Which sentences say their day: every one, those that state no date themselves, or only what has ended."""
_ARROWS = late_pattern(r"(?:(?<!\s)\s++)?(?:—(?=\S)|→)\s*+")
_TYPE = late_pattern(r"\s\([\w ]+\):")
_HEADING = late_pattern(r"^#{1,6}\s+(?=\S)")
ENDS = (".", "!", "?", "…", ":", ";", "。", "！", "？", "؟", "।", '"', "”", "»")
_SIGN_AT_END = late_pattern(r"[\p{Extended_Pictographic}\p{Emoji_Modifier}\u200d\ufe0f]$")
"""A picture at the end: a full stop behind it would be a sentence of its own."""
_NOTHING_SAID = "The memory holds no sentence that speaks to this."
_NOTHING_AGAINST = "The memory holds no sentence that speaks against this."


def compose(
    question: str,
    evidence: Sequence[Evidence],
    stance: Stance,
    *,
    within_time: bool = False,
    now: datetime | None = None,
) -> Draft:
    """Return a draft for `question` made of verbatim sentences of `evidence`, or a refusal.

    Args:
        question: without the time it asks about, when `within_time`.
        evidence: the rows of the prompt.
        stance: how to speak.
        within_time: the rows are those of the time asked about, so that a question may be about nothing but that time.
        now: when it is asked; without it every row that has an end counts as ended.
    """
    question = question[:MOST_READ]
    asked = Question.of(question, evidence, now=now)
    items = listed_in(question, evidence) if stance is Stance.SYNTHESIZE else []
    if asked.is_open and not within_time and not items:
        return _refusal(_NOTHING_SAID)
    fitting = Reading.of(question, evidence)
    every = weigh_quotes(asked, evidence)
    if stance is Stance.CHALLENGE:
        return _challenge(asked, every, fitting)
    if evidence and not asked.is_open and (missing := missing_in(question, evidence, reading=fitting)):
        return _refusal(f"{missing[0].upper()}{missing[1:]}.")
    if items:
        return listed_draft(items)
    ties = Ties.of(question, evidence)
    every = _of_what_is_asked_about(question, every, ties, evidence)
    limit = 2 if stance is Stance.QUESTION else MAX_QUOTES
    ranked = who_it_is(asked, every) or _tied_first(rank_quotes(asked, every, fitting), every, ties)
    others = beside(asked, every, within_time=within_time)
    chosen = _one_each(ranked, limit=limit) if asked.is_open else choose(ranked, others, limit=limit)
    if not _tells_what_is_asked(asked, ties, [quote.passage for quote in chosen]):
        return _refusal(_NOTHING_SAID)
    chosen, days = _in_order(chosen, asked, evidence, within_time=within_time)
    closing = question_back(question, [quote.text for quote in chosen]) if stance is Stance.QUESTION else None
    return _draft(chosen, question, days=days, closing=closing, now=now)


def _tells_what_is_asked(asked: Question, ties: Ties, chosen: Sequence[Passage]) -> bool:
    """Return whether the chosen sentences hold enough of the question's telling words, of whom it gives a thing to."""
    if ties.bonds and not are_tied(ties, chosen):
        return False
    telling = [word for word in asked.content if not word.is_stop]
    if asked.is_open or not telling or not chosen:
        return True
    held = frozenset[str]().union(*(one.stems for passage in chosen for one in all_passages(passage.row)))
    return credited_share(telling, held) >= (_TOLD_OF_FEW if len(telling) <= _FEW else _TOLD_OF_MANY)


def _in_order(
    chosen: Sequence[Quote], asked: Question, evidence: Sequence[Evidence], *, within_time: bool
) -> tuple[list[Quote], Days]:
    """Return the chosen quotes in order, with what disagrees with them, and which of them say their day."""
    is_of_then = within_time and (asked.is_open or asked.is_of_past)
    given = _by_time(chosen) if is_of_then else _current_first(_with_successors(chosen, evidence), asked)
    if _is_of_several_days(_alike(given)):
        return given, "all"
    dated = within_time or "time" in asked.kinds or (asked.is_of_now and _is_of_several_days(given))
    return given, "undated" if dated else "ended"


def _tied_first(ranked: Sequence[Quote], every: Sequence[Quote], ties: Ties) -> list[Quote]:
    """Return the quotes with those first that give to whom the question gives; they alone where none speaks to it."""
    if not ties.bonds:
        return list(ranked)
    tied = [quote for quote in ranked or every if are_tied(ties, [quote.passage])]
    return [*tied, *(quote for quote in ranked if quote not in tied)]


def _of_what_is_asked_about(
    question: str, quotes: Sequence[Quote], ties: Ties, evidence: Sequence[Evidence]
) -> list[Quote]:
    """Return the quotes that are not of another's, of another row of a table, or without the deed asked about."""
    whose = Whose.of(question, evidence)
    every = [quote for quote in quotes if not is_of_another(ties, quote.passage)]
    every = list(compress(every, rows_asked_about(words(question), [quote.passage for quote in every])))
    every = [quote for quote in every if not (whose and whose.is_anothers(quote.passage))]
    every = [quote for quote in every if not is_of_somebody_else(question, quote.passage)]
    every = [quote for quote in every if not is_beside_what_is_leant_on(question, quote.passage)]
    return _telling_the_deed(question, every, evidence)


def _telling_the_deed(question: str, quotes: Sequence[Quote], evidence: Sequence[Evidence]) -> list[Quote]:
    """Return the quotes of rows that tell of the deed the question asks about; all where it asks about none."""
    deed = asked_deed(question)
    if deed is None:
        return list(quotes)
    telling = {row.alias for row in evidence if deed.is_told(row, evidence)}
    return [quote for quote in quotes if quote.passage.row.alias in telling]


def _with_successors(chosen: Sequence[Quote], evidence: Sequence[Evidence]) -> list[Quote]:
    """Return the quotes with, for each row that was replaced, what took its place."""
    there = {quote.passage.row.row_id for quote in chosen}
    found: list[Quote] = []
    for quote in chosen:
        successor = quote.passage.row.superseded_by
        if successor is not None and successor not in there:
            there.add(successor)
            rows = [row for row in evidence if row.row_id == successor]
            found += [replace(quote, passage=passage) for row in rows for passage in all_passages(row)[:1]]
        found.append(quote)
    return found


def _current_first(chosen: Sequence[Quote], asked: Question) -> list[Quote]:
    """Return the quotes with what has ended last; of those that answer alike the later first.

    Asked what was they stay as they are, asked what was at first the earlier comes first.
    """
    alike = [] if asked.is_of_past and not asked.is_of_before else _alike(chosen)

    def place(quote: Quote) -> tuple[bool, bool, tuple[bool, float]]:
        is_alike = quote in alike
        day = in_order(quote.passage.row.created_at, latest_first=not asked.is_of_before)
        return has_ended(quote.passage.row, asked.now), not is_alike, day if is_alike else (False, 0.0)

    return sorted(chosen, key=place)


def _alike(chosen: Sequence[Quote]) -> list[Quote]:
    """Return the quotes that answer as well as the best one.

    Only sentences are alike: the day of a rendering of the graph says nothing of when it became so.
    """
    best = max(chosen, key=lambda quote: quote.score, default=None)
    return [] if best is None else [quote for quote in chosen if _answers_like(quote, best)]


def _answers_like(quote: Quote, best: Quote) -> bool:
    if quote.passage.row.source_type != "kg_observation" or quote.overlap < _SAME_WORDS * best.overlap:
        return False
    ours, theirs = content_of(quote.passage), content_of(best.passage)
    is_of_one_thing = len(ours & theirs) >= _ONE_THING * min(len(ours), len(theirs))
    return is_of_one_thing or quote.score >= _ALIKE * best.score


def _is_of_several_days(chosen: Sequence[Quote]) -> bool:
    return len({quote.passage.said_on for quote in chosen}) > 1


def choose(ranked: Sequence[Quote], others: Sequence[Quote], *, limit: int) -> list[Quote]:
    """Return the quotes to give: the best, one of another source if there is one, and near ones that say more.

    Args:
        ranked: the quotes that speak to the question, best first.
        others: quotes that may only stand beside one of these.
        limit: how many to give at most.
    """
    if not ranked:
        return []
    least = _KEEP_RELEVANCE * ranked[0].passage.row.relevance
    ranked = [quote for quote in ranked if quote.passage.row.relevance >= least]
    pair = _independent(ranked, others)
    chosen = list(pair) if pair else [ranked[0]]
    for quote in ranked:
        near = quote.score >= _KEEP * ranked[0].score
        if near and len(chosen) < limit and _adds(quote, chosen) and (not pair or _keeps_apart(quote, pair)):
            chosen.append(quote)
    return sorted(chosen, key=[*ranked, *others].index)


def _independent(ranked: Sequence[Quote], others: Sequence[Quote]) -> tuple[Quote, Quote] | None:
    """Return the two best quotes of two sources (ruling D2); the first is near the best one there is."""
    for first in ranked:
        if first.score < _KEEP * ranked[0].score:
            return None
        enough = _KEEP_SECOND_SOURCE * first.score
        seconds = (*(quote for quote in ranked if quote.score >= enough), *others)
        second = next((quote for quote in seconds if quote.is_of_another_source(first)), None)
        if second is not None:
            return first, second
    return None


def _keeps_apart(quote: Quote, pair: tuple[Quote, Quote]) -> bool:
    """Return whether a further quote rests on the thoughts of at most one of two sources, so that they stay two."""
    own = set(quote.passage.row.thought_ids)
    return not all(own & set(one.passage.row.thought_ids) for one in pair)


def _adds(quote: Quote, chosen: Sequence[Quote]) -> bool:
    """Return whether a quote says something that the chosen ones do not, in as many words as make it worth reading."""
    told = frozenset[str]().union(*(content_of(other.passage) for other in chosen))
    own = content_of(quote.passage)
    return len(own - told) >= _NEWS * len(own)


def _one_each(ranked: Sequence[Quote], *, limit: int) -> list[Quote]:
    """Return the best sentence of each thing that was written down, as far as there is room."""
    chosen: list[Quote] = []
    for quote in ranked:
        own = quote.passage.row.source_type == "kg_observation"
        if own and len(chosen) < limit and all(quote.is_of_another_source(other) for other in chosen):
            chosen.append(quote)
    return chosen


def _by_time(quotes: Sequence[Quote]) -> list[Quote]:
    return sorted(quotes, key=lambda quote: in_order(quote.passage.row.created_at))


def draft_json(draft: Draft) -> str:
    """Return `draft` as a provider would send it: one JSON object of the wire schema (ruling A3)."""
    sentences = [
        {
            "text": one.text,
            "kind": one.kind,
            "sources": [{"source_id": source.source_id, "span": source.span} for source in one.sources],
        }
        for one in draft.sentences
    ]
    return json.dumps({"sentences": sentences, "refused": draft.refused, "notes": draft.notes}, ensure_ascii=False)


def _challenge(asked: Question, every: Sequence[Quote], fitting: Reading) -> Draft:
    """Return what speaks against a claim, the earlier first; a refusal where nothing does."""
    chosen = against(asked, every, fitting)[: MAX_QUOTES - 1]
    return _draft(_by_time(chosen), asked.text, days="undated", closing=None, now=asked.now, otherwise=_NOTHING_AGAINST)


def _draft(
    chosen: Sequence[Quote],
    question: str,
    *,
    days: Days,
    closing: str | None,
    now: datetime | None,
    otherwise: str = _NOTHING_SAID,
) -> Draft:
    """Return the draft of the chosen quotes, a refusal when there are none; what has ended says its day in any case.

    A sentence that would not be found quoted is left out.
    """
    groups = _completed([quote.passage for quote in chosen], question)
    sentences = [one for group in groups for one in on_a_line(told_in_turn(group, days=days, now=now))]
    if not sentences:
        return _refusal(otherwise)
    back = [DraftSentence(text=f"\n{closing}", kind="question")] if closing else []
    return Draft(sentences=(*sentences, *back))


def on_a_line(told: list[DraftSentence]) -> list[DraftSentence]:
    """Return sentences that belong together, on a line of their own."""
    return [replace(one, text=one.text if at else f"\n{one.text}") for at, one in enumerate(told)]


def _completed(chosen: Sequence[Passage], question: str) -> list[list[Passage]]:
    """Return the chosen sentences, each with what belongs to it of the same note, and none of them twice."""
    left = {(one.row.alias, one.start) for one in chosen}
    groups: list[list[Passage]] = []
    for passage in chosen:
        if (passage.row.alias, passage.start) not in left:
            continue
        whole = with_what_goes_on(passage, question)
        given = {(one.row.alias, one.start) for group in groups for one in group}
        groups.append([one for one in whole if (one.row.alias, one.start) not in given])
        left -= {(one.row.alias, one.start) for one in whole}
    return groups


def told_in_turn(group: Sequence[Passage], *, days: Days, now: datetime | None) -> list[DraftSentence]:
    """Return sentences that belong together as the answer gives them, the first with day and speaker."""
    first = group[0]
    ended = any(has_ended(one.row, now) for one in group)
    says_day = ended or (days != "ended" and first.row.source_type == "kg_observation")
    heads = _heads(first, dated=says_day and (days == "all" or not stated_dates(first.text)))
    told = [(one, _line(one, heads if one is first else ())) for one in group]
    return [
        DraftSentence(text=line, sources=(DraftSource(source_id=one.row.alias, span=one.text),))
        for one, line in told
        if line is not None
    ]


def _line(passage: Passage, heads: Sequence[str]) -> str | None:
    """Return the sentence as the answer gives it, with day and speaker, where it is found quoted so."""
    sentence = readable_line(passage)
    lines = (*(f"{head}: {sentence}" for head in heads), sentence)
    return next((line for line in lines if quotations_in(line, (passage.row,))), None)


def readable_line(passage: Passage) -> str:
    """Return the sentence on one line with a full stop; the graph's without arrows and type, a table's row in words."""
    item = item_of(passage.text)
    sentence = _item_told(passage, item) if item else " ".join(readable(passage.text, passage.header).split())
    sentence = _HEADING.sub("", sentence)
    if passage.row.source_type != "kg_observation":
        sentence = _ARROWS.sub(" ", _TYPE.sub(":", sentence, count=1))
    return sentence if sentence.endswith(ENDS) or _SIGN_AT_END.search(sentence) else f"{sentence}."


def _item_told(passage: Passage, item: Item) -> str:
    """Return an item with what stands above it, else with the words for its box."""
    name = heading_above(passage.row.text, passage.start)
    if not any(map(str.isalnum, name)):
        return told_of(item)
    box = "" if item.is_done is None else "[x] " if item.is_done else "[ ] "
    return f"{name}: {box}{_HEADING.sub('', item.text)}"


def _heads(passage: Passage, *, dated: bool) -> list[str]:
    row = passage.row
    day = passage.said_on.isoformat() if dated and passage.said_on else None
    speaker = row.speaker if row.speaker and not passage.text.startswith(f"{row.speaker}:") else None
    heads = [f"{day}, {speaker}" if day and speaker else day, speaker]
    return [head for head in heads if head]


def _refusal(notes: str) -> Draft:
    return Draft(refused=True, notes=notes)
