"""Which sentences of the evidence speak against a claim.

Law: what took the place of the claim's like comes first, then what disagrees with its like or with the claim itself
(`counter`); only where there is none of these may a sentence that qualifies it stand for them. A claim that no sentence
speaks against has none, however many are about it.

Source: spec stateful-design-v2, stances ("challenge"); rulings D1, D5.
"""

from collections.abc import Sequence
from typing import NamedTuple

import regex

from voice.core.grounding.asked import PRICING, says
from voice.core.grounding.counter import (
    Claim,
    speaks_against,
    states_the_same,
    takes_up,
    telling_of,
    tells_a_change_to,
    tells_of_another_thing,
)
from voice.core.grounding.disputes import other_sides
from voice.core.grounding.figures import figure_findings
from voice.core.grounding.fit import Reading
from voice.core.grounding.passages import Passage, all_passages
from voice.core.grounding.polarity import polarity_findings
from voice.core.grounding.quoting import Question, Quote, brief_quotes, is_of_the_thing, names_all, rank_quotes
from voice.core.grounding.support import support_of
from voice.core.grounding.values import Evidence
from voice.core.text.patterns import late_pattern
from voice.core.text.words import words

_NEAR = 0.2
"""What speaks against a claim repeats less of it than what bears it out."""
_LIKE_BEST = 0.7
"""Of what no longer holds, and of what speaks against the claim, what is as much like it as this share of the best."""
_LIKE = 0.5
"""A statement is like the claim when it holds this share of its words, figures left out."""
_QUALIFIES = late_pattern(
    r"\b(?:no longer|any ?more|instead|but|however|although|though|despite|changed my mind|regret\w*|stopped|quit"
    r"|gave up|cancel\w*|postpone\w*|doubt\w*|unsure|worr\w+|problem\w*|difficult\w*|too (?:much|many|late|long)"
    r"|actually|fail\w*|wrong|mistake\w*|aber|doch|jedoch|nicht mehr|stattdessen|abgesagt|bereue\w*|zweif\w+|obwohl"
    r"|leider|pero|sin embargo|aunque|ya no|en cambio)\b",
    regex.IGNORECASE,
)


class Against(NamedTuple):
    """What was found against a claim."""

    certain: list[Quote]
    """Each once, the most telling first."""
    qualifying: list[Quote]
    """What denies, reverses or qualifies something of it; nothing where the claim names whom no row names."""


def against(asked: Question, every: Sequence[Quote], fitting: Reading, evidence: Sequence[Evidence]) -> Against:
    """Return what speaks against a claim.

    Args:
        asked: the claim, read as questions are.
        every: what `weigh_quotes` made of the rows of the prompt.
        fitting: the claim read over the same rows.
        evidence: these rows.
    """
    ranked = rank_quotes(asked, every, fitting, nearly=_NEAR)
    claim = Claim.of(asked.text, evidence, asked.now)
    thing = [word for word in telling_of(claim) if word.key not in PRICING] if says("money", asked.text) else []
    told = [quote for quote in (*every, *brief_quotes(evidence)) if is_of_the_thing(quote.passage, thing)]
    certain = _turned(ranked, every) or [*_disagreeing(claim, asked, ranked, evidence), *_contrary(claim, asked, told)]
    known = names_all([quote.passage for quote in every], claim.names)
    qualifying = [
        quote
        for quote in ranked
        if known and is_of_the_thing(quote.passage, thing) and _qualifies(asked, quote.passage)
        if not _is_beside_it(claim, quote.passage)
    ]
    return Against(*(_not_outdated(claim, found, evidence) for found in (_distinct(certain), qualifying)))


def _not_outdated(claim: Claim, found: Sequence[Quote], evidence: Sequence[Evidence]) -> list[Quote]:
    """Return what speaks against a claim, but not what a later change to just what is claimed has overtaken."""
    news = [row.created_at for row in evidence if any(tells_a_change_to(claim, one) for one in all_passages(row))]
    return [quote for quote in found if not any(quote.passage.row.created_at < day for day in news)]


def _turned(ranked: Sequence[Quote], every: Sequence[Quote]) -> list[Quote]:
    """Return, for statements most like the claim that no longer hold, each with the statement that took its place."""
    replaced = [quote for quote in ranked if quote.passage.row.superseded_by not in (None, quote.passage.row.row_id)]
    found: list[Quote] = []
    for quote in replaced:
        if quote.score >= _LIKE_BEST * replaced[0].score:
            successor = quote.passage.row.superseded_by
            found += [quote, *(other for other in every if other.passage.row.row_id == successor)]
    return found


def _disagreeing(claim: Claim, asked: Question, ranked: Sequence[Quote], evidence: Sequence[Evidence]) -> list[Quote]:
    """Return, for the first statement like the claim that others of the memory disagree with, both sides."""
    for quote in ranked:
        if takes_up(claim, quote.passage) >= _LIKE and (others := other_sides([quote.passage], evidence, asked.now)):
            return [quote, *(Quote(passage=passage, overlap=0.0, score=0.0) for passage in others)]
    return []


def _contrary(claim: Claim, asked: Question, every: Sequence[Quote]) -> list[Quote]:
    """Return the sentences that by themselves speak against the claim, and are as much like it as any of them."""
    found = [
        (takes_up(claim, quote.passage), quote) for quote in every if speaks_against(claim, quote.passage, asked.now)
    ]
    most = max((like for like, _ in found), default=0.0)
    near = [(like, quote) for like, quote in found if like >= _LIKE_BEST * most]
    return [quote for _, quote in sorted(near, key=lambda one: (-one[0], -one[1].score))]


def _is_beside_it(claim: Claim, passage: Passage) -> bool:
    return states_the_same(claim, passage) or tells_of_another_thing(claim, passage)


def _distinct(quotes: Sequence[Quote]) -> list[Quote]:
    chosen: list[Quote] = []
    for quote in quotes:
        if not any(quote.repeats(other) for other in chosen):
            chosen.append(quote)
    return chosen


def _qualifies(asked: Question, passage: Passage) -> bool:
    """Return whether a sentence denies, reverses, outdates or qualifies what the question claims."""
    claimed = words(asked.text)
    support = support_of(asked.content, [passage])
    if polarity_findings(asked.text, claimed, support):
        return True
    if any(
        one.effect == "contradicted" for one in figure_findings(asked.text, claimed, support.used, support.best_recall)
    ):
        return True
    return bool(_QUALIFIES.search(passage.text)) and not _QUALIFIES.search(asked.text)
