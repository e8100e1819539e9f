"""An answer made of the memory's own sentences, without any model.

Law: every sentence that states something is word for word in the evidence it cites; what is put around it (who said it,
on which day) is kept only where the same judge that judges models finds it supported. Where nothing speaks to the
question the draft refuses: a weak quotation is not an answer. Two sentences come from two sources where there are two.

    synthesize   the sentences that speak to the question, the most telling first
    challenge    the sentences that speak against the claim, then the nearest one beside them; none: a refusal
    question     one or two sentences, then a question about them that brings no name, number or date of its own

Source: DESIGN 7 (`extractive`); rulings A23, D1, D2, D5, D22.
"""

import json
from collections.abc import Sequence

import regex

from voice.core.grounding.claims import Grounds, judge_sentence
from voice.core.grounding.figures import figure_findings
from voice.core.grounding.passages import Passage
from voice.core.grounding.polarity import polarity_findings
from voice.core.grounding.quoting import Question, Quote, rank_quotes
from voice.core.grounding.support import support_of
from voice.core.grounding.values import Draft, DraftSource, Evidence, GroundingPolicy, Stance
from voice.core.grounding.who import people_of
from voice.core.text.stopwords import Language, guess_language
from voice.core.text.words import words

MAX_QUOTES = 4
_KEEP = 0.6
"""Further sentences reach at least this share of the best one's score…"""
_KEEP_SECOND_SOURCE = 0.4
"""…but the second source may be weaker."""
_ENDS = (".", "!", "?", "…", ":", ";", "。", "！", "？", "؟", "।", '"', "”", "»")
_CHALLENGING = regex.compile(
    r"\b(?:no longer|any ?more|instead|but|however|although|though|despite|changed my mind|regret\w*|stopped|quit"
    r"|gave up|cancel\w*|postpone\w*|doubt\w*|unsure|worr\w+|problem\w*|difficult\w*|too (?:much|many|late|long)"
    r"|actually|fail\w*|wrong|mistake\w*|aber|doch|jedoch|nicht mehr|stattdessen|abgesagt|bereue\w*|zweif\w+|obwohl"
    r"|leider|pero|sin embargo|aunque|ya no|en cambio)\b",
    regex.IGNORECASE,
)
_NOTHING_SAID = "The memory holds no sentence that speaks to this."
_NOTHING_AGAINST = "The memory holds no sentence that speaks against this."
_ASK_ONE: dict[Language, str] = {
    "en": "What does that mean for what you are asking?",
    "de": "Was bedeutet das für deine Frage?",
    "es": "¿Qué significa eso para lo que preguntas?",
}
_ASK_MANY: dict[Language, str] = {
    "en": "How do these fit together, and which of them weighs more for you now?",
    "de": "Wie passt das zusammen, und was davon wiegt für dich jetzt mehr?",
    "es": "¿Cómo encaja esto, y qué pesa más para ti ahora?",
}


def compose(question: str, evidence: Sequence[Evidence], stance: Stance) -> Draft:
    """Return a draft for `question` made of verbatim sentences of `evidence`, or a refusal."""
    asked = Question.of(question)
    ranked = rank_quotes(asked, evidence)
    if stance is Stance.CHALLENGE:
        return _challenge(asked, ranked, evidence)
    chosen = choose(ranked, limit=2 if stance is Stance.QUESTION else MAX_QUOTES)
    if not chosen:
        return _refusal(_NOTHING_SAID)
    closing = _question_back(question, len(chosen)) if stance is Stance.QUESTION else None
    return _draft(chosen, evidence, dated="time" in asked.kinds, closing=closing)


def choose(ranked: Sequence[Quote], *, limit: int) -> list[Quote]:
    """Return the quotes to give: the best, near ones that say something else, and a second source if there is one."""
    chosen: list[Quote] = []
    for quote in ranked:
        near = not chosen or quote.score >= _KEEP * chosen[0].score
        if near and len(chosen) < limit and not any(quote.repeats(other) for other in chosen):
            chosen.append(quote)
    if chosen and not _two_sources(chosen):
        second = _second_source(ranked, chosen)
        if second is not None:
            chosen = [*chosen[: limit - 1], second]
    return chosen


def draft_json(draft: Draft) -> str:
    """Return `draft` as a provider would send it: one JSON object of the wire schema (ruling A3)."""
    sources = [{"source_id": source.source_id, "span": source.span} for source in draft.sources]
    wire = {"sources": sources, "answer": draft.answer, "refused": draft.refused, "notes": draft.notes}
    return json.dumps(wire, ensure_ascii=False)


def _two_sources(chosen: Sequence[Quote]) -> bool:
    return any(quote.is_of_another_source(chosen[0]) for quote in chosen[1:])


def _second_source(ranked: Sequence[Quote], chosen: Sequence[Quote]) -> Quote | None:
    enough = _KEEP_SECOND_SOURCE * chosen[0].score
    others = (quote for quote in ranked if quote.score >= enough and quote not in chosen)
    return next((quote for quote in others if quote.is_of_another_source(chosen[0])), None)


def _challenge(asked: Question, ranked: Sequence[Quote], evidence: Sequence[Evidence]) -> Draft:
    against = [quote for quote in ranked if _speaks_against(asked, quote.passage)]
    chosen = choose(against, limit=MAX_QUOTES - 1)
    if not chosen:
        return _refusal(_NOTHING_AGAINST)
    if not _two_sources(chosen):
        beside = _second_source(ranked, chosen)
        chosen = chosen if beside is None else [*chosen, beside]
    return _draft(chosen, evidence, dated=True, closing=None)


def _speaks_against(asked: Question, passage: Passage) -> bool:
    """Return whether a sentence denies, reverses, outdates or qualifies what the question claims."""
    claimed = words(asked.text)
    support = support_of(asked.content, [passage])
    if polarity_findings(asked.text, claimed, support):
        return True
    if figure_findings(asked.text, claimed, support.used, support.best_recall):
        return True
    return bool(_CHALLENGING.search(passage.text)) and not _CHALLENGING.search(asked.text)


def _draft(chosen: Sequence[Quote], evidence: Sequence[Evidence], *, dated: bool, closing: str | None) -> Draft:
    people = people_of(evidence)
    lines: list[str] = []
    for quote in chosen:
        grounds = Grounds(rows=(quote.passage.row,), passages=(quote.passage,), people=people)
        lines.append(_line(quote.passage, grounds, dated=dated))
    spans = tuple(DraftSource(source_id=quote.passage.row.alias, span=quote.text) for quote in chosen)
    return Draft(answer="\n".join([*lines, *([closing] if closing else [])]), sources=spans)


def _line(passage: Passage, grounds: Grounds, *, dated: bool) -> str:
    """Return the sentence as the answer gives it: with day and speaker as far as the judge finds them supported."""
    sentence = " ".join(passage.text.split())
    sentence = sentence if sentence.endswith(_ENDS) else f"{sentence}."
    for head in _heads(passage, dated=dated):
        line = f"{head}: {sentence}"
        if judge_sentence(line, grounds, GroundingPolicy().support_threshold).verdict == "supported":
            return line
    return sentence


def _heads(passage: Passage, *, dated: bool) -> list[str]:
    row = passage.row
    day = passage.said_on.isoformat() if dated and passage.said_on and row.source_type == "kg_observation" else None
    speaker = row.speaker if row.speaker and not passage.text.startswith(f"{row.speaker}:") else None
    heads = [f"{day}, {speaker}" if day and speaker else day, speaker]
    return [head for head in heads if head]


def _question_back(question: str, quotes: int) -> str:
    language = guess_language([word.key for word in words(question)])
    return (_ASK_ONE if quotes == 1 else _ASK_MANY)[language]


def _refusal(notes: str) -> Draft:
    return Draft(answer="", refused=True, notes=notes)
