"""The rules that decide whether passages of notes, of a conversation or of a time answer a question.

Law: one sum of a few figures that a person understands decides, over a line; it has weights of its own where no
re-ranker reads. They were fitted by `python -m bench.note_rule` (docs/grounding-measured.md, "Answers from real
vaults"), but for `own`, which is set by hand: these vaults hold too few such questions. A passage that lacks whom or
what the question names answers nothing (`identifiers`): "boat number 12" is not boat number 3. Neither does one
without an amount, or with the money of another thing, where a question asks for it. Nothing in a sum grows with the
memory (such as how rare words are in it): in a memory of three notes nothing would ever answer.

A conversation has a sum of its own, of seven figures, with weights fitted by `python -m bench.conversation_rule`.
A question that names a time and asks for what was told in it ("Last month's proud moments") is answered by the passages
of that time that hold what it names, the best first; a word of mood or kind ranks them. One for a fact is answered by a
passage of its time that holds all its telling words, whatever the sum says; one for a list, by a list whose head does.
A row of a table is a statement: it answers whatever the sum says where its cells, heads and headings tell all of it.

Source: DESIGN 5, 6 "Asking costs less than guessing"; rulings D5, E; spec nlq, Test These Queries First.
"""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import replace
from typing import Final

from voice.core.answering.passage_choice import BESIDE_THRESHOLD, MAX_PASSAGES, THRESHOLD, JudgedPassage
from voice.core.answering.question_form import asks_for_a_form, asks_openly, asks_who, term_weights
from voice.core.answering.question_target import Identifiers, QuestionTarget
from voice.core.grounding.extractive.evidence_sentences import MOST_READ, match_credit
from voice.core.grounding.extractive.question_fit import (
    Amount,
    AnswerType,
    EvidenceFit,
    PlacedLine,
    answer_types,
    holds_amount,
    holds_price,
    may_ask_for_money,
    with_words_of_money,
    words_of_payment,
)
from voice.core.grounding.values import Evidence
from voice.core.records import Entity, Observation
from voice.core.retrieval.passages import Passage
from voice.core.retrieval.values import Candidate, PassageScore
from voice.core.text.dates import stated_dates
from voice.core.text.language_data import HEAVIEST
from voice.core.text.markdown import cells_of, header_above, list_item_of, outline_of
from voice.core.text.numbers import ONES, quantities
from voice.core.text.sentences import sentence_spans
from voice.core.text.words import stems_in, words

_NOTHING: Final = -11.0  # the logit of a passage that has nothing to do with a question: a lone one is compared with it
WEIGHTS: Final[Mapping[str, float]] = {"bias": -1.455, "reranked": 0.335, "margin": 0.843, "answers": 0.426, "own": 0.7}
"""The weights where a re-ranker reads that tells what answers from what is about the same: beside it, cosines and
shared words told right from wrong no better in vaults that took no part in the fit, and refused what is asked in other
words."""
WEIGHTS_WITHOUT_ANSWERS: Final[Mapping[str, float]] = {"bias": -1.525, "reranked": 0.644, "margin": 0.796, "own": 0.7}
"""The weights where a re-ranker reads that cannot."""
WEIGHTS_WITHOUT_RERANKER: Final[Mapping[str, float]] = {
    "bias": -3.41,
    "cosine": 2.89,
    "share": 0.84,
    "heaviest_missing": -0.8,
    "terms": 0.56,
    "own": 0.7,
}
"""The weights where no re-ranker reads; their bias is such that all have one line."""
WEIGHTS_WITHOUT_COSINES: Final[Mapping[str, float]] = {
    "bias": -2.65,
    "share": 1.41,
    "heaviest_missing": -1.04,
    "terms": 0.9,
    "own": 0.7,
}
"""The weights where words alone tell: nothing was compared, or by an encoder whose cosines these are not fitted to."""


def features(telling: Mapping[str, float], passage: Passage, *, is_own: bool = False) -> dict[str, float]:
    """Return the rule's figures without a re-ranker, by name; `telling` are the question's `term_weights`."""
    hit = passage.hit
    stems = with_words_of_money(stems_in(passage.placed_text))  # "€30" tells "price"
    total = sum(telling.values())
    missing = [weight for stem, weight in telling.items() if stem not in stems]
    return {
        "cosine": hit.cosine or 0.0,
        "share": 1 - sum(missing) / total if total else 0.5,  # nothing to tell by: neither for nor against
        "heaviest_missing": max(missing, default=0.0) / HEAVIEST,
        "terms": math.log1p(len(telling)),
        "own": float(is_own),
    }


def reranker_features(score: PassageScore, others: float) -> dict[str, float]:
    """Return the re-ranker's figures, by name; `others` is the highest relevance of the other passages."""
    return {
        "reranked": score.relevance / 5,  # a logit reaches ±11, the other figures 1
        "margin": min(max((score.relevance - others) / 5, -1.0), 1.0),
        "answers": score.answers or 0.0,
    }


def judge_passages(
    question: str,
    passages: Sequence[Passage],
    reranked: Sequence[PassageScore] | None,
    target: QuestionTarget,
    *,
    is_calibrated: bool = True,
) -> tuple[JudgedPassage, ...]:
    """Return the passages with their scores, the best first.

    Args:
        question: the question without its time, with the question it refers back to.
        reranked: the re-ranker's scores of each; None without a re-ranker.
    """
    telling, own = term_weights(question), term_weights(target.question)
    has_cosines = is_calibrated and any(passage.hit.cosine is not None for passage in passages)
    weights = WEIGHTS_WITHOUT_RERANKER if has_cosines else WEIGHTS_WITHOUT_COSINES
    if reranked is not None:
        weights = WEIGHTS if all(each.answers is not None for each in reranked) else WEIGHTS_WITHOUT_ANSWERS
    amounts: list[Amount] = [kind for kind in answer_types(question) if kind != "time"]
    judged: list[JudgedPassage] = []
    for place, passage in enumerate(passages):
        figures = features(telling, passage, is_own=target.is_stated_by_owner(passage))
        if reranked is not None:
            others = max((each.relevance for at, each in enumerate(reranked) if at != place), default=_NOTHING)
            figures |= reranker_features(reranked[place], others)
        lacks_amount = any(
            not holds_amount(kind, _text_without_its_day(passage)) for kind in amounts if kind != "money"
        )
        lacks_amount |= "money" in amounts and not holds_price(own, _placed_lines(passage))
        score = math.inf if is_sole_subject(telling, passage.hit) else weighted_sum(weights, figures)
        judged.append(
            JudgedPassage(passage=passage, score=-math.inf if lacks_amount or target.is_missed_by(passage) else score)
        )
    return tuple(sorted(judged, key=lambda one: -one.score))


def _text_without_its_day(passage: Passage) -> str:
    """Return a passage's text under its path, in which days are blank: that of a daily note is no amount."""
    path = " › ".join(passage.context_path).replace("_", "-")
    for day in stated_dates(path):
        # As many blanks: the offsets of the next days stay right.
        path = f"{path[: day.start]}{' ' * (day.end - day.start)}{path[day.end :]}"
    return f"{path}\n{passage.text}"


def _placed_lines(passage: Passage) -> Iterator[PlacedLine]:
    """Yield the sentences of a passage, each with what it stands under: path of its row, headings, column heads."""
    yield from (line for each in passage.rows for _, line in _lines_of(each))


def _lines_of(found: Candidate) -> Iterator[tuple[str, PlacedLine]]:
    """Yield each sentence of a row behind the heads of its columns."""
    path = found.row.context_path if isinstance(found.row, Observation) else ()
    outline = outline_of(found.text)
    for start, end in sentence_spans(found.text):
        over = [line.said for at in outline.at(start, end)[:1] for line in outline.over(at)]
        heads = ", ".join(header_above(found.text, start) or ())
        yield heads, PlacedLine(found.text[start:end], " › ".join((*path, *reversed(over), heads)))


def is_sole_subject(telling: Mapping[str, float], found: Candidate) -> bool:
    """Return whether a row is an entity of the graph and the question is about nothing else."""
    row, stems = found.row, telling.keys()
    return bool(stems) and isinstance(row, Entity) and stems <= stems_in(" ".join((row.name, *row.aliases)))


def weighted_sum(weights: Mapping[str, float], figures: Mapping[str, float]) -> float:
    """Return the weighted sum of the figures, with the bias."""
    return weights["bias"] + sum(weights.get(name, 0.0) * figure for name, figure in figures.items())


CONVERSATION_WEIGHTS: Final[Mapping[str, float]] = {
    "bias": -3.95,
    "own": 1.92,
    "others": -1.7,
    "untold": -1.31,
    "cosine": 6.48,
    "cosine_of_others": -1.9,
    "ahead": 1.47,
    "asks_when": 1.87,
}
CONVERSATION_WEIGHTS_WITHOUT_COSINES: Final[Mapping[str, float]] = {
    "bias": -0.5,
    "own": 2.2,
    "others": -2.31,
    "untold": -1.61,
    "ahead": 1.57,
    "asks_when": 1.91,
}
"""The weights where the cosines are of an encoder that the others are not fitted to."""
# The sum over which what was said answers a question about nobody who speaks: then nothing that is said of others can
# speak against it. It is set by hand: the conversations it could be fitted on hold ten such questions.
_LEAST_OF_ANYBODY: Final = 1.0
ROWS_READ: Final = 30
"""Rows that a question is read over."""


def judge_conversation(
    question: str, passages: Sequence[Passage], rows: Sequence[Evidence], *, is_calibrated: bool = True
) -> tuple[JudgedPassage, ...]:
    """Return the messages with their scores, above `THRESHOLD` if they answer, in the order they were found.

    Returns nothing if the question names no speaker and the score is low; then it may be about the notes.

    Args:
        question: the question without its time, with the question it refers back to.
        rows: their rows and the other rows that were found, the best first.
    """
    fit = EvidenceFit.of(question[:MOST_READ], rows[:ROWS_READ])
    weights = CONVERSATION_WEIGHTS if is_calibrated else CONVERSATION_WEIGHTS_WITHOUT_COSINES
    score = weighted_sum(weights, conversation_features(question, fit))
    if not fit.question.telling or not (fit.question.is_of_who_speaks or score > _LEAST_OF_ANYBODY):
        return ()
    score += THRESHOLD  # this sum answers from 0 on, the others from `THRESHOLD`
    score_of_others = min(score, BESIDE_THRESHOLD)  # given only where an answer needs more notes
    return tuple(
        JudgedPassage(passage=passage, score=score if place < MAX_PASSAGES else score_of_others)
        for place, passage in enumerate(passages)
    )


def conversation_features(question: str, fit: EvidenceFit) -> dict[str, float]:
    """Return the rule's figures, by name; `question` is without its time, with the question it refers back to."""
    of_rows = [(row.score, *shares) for row, shares in _by_row(fit)]
    return {
        "own": max((own for _, own, _ in of_rows), default=0.0),
        "others": max((others for _, _, others in of_rows), default=0.0),
        "untold": max((fit.question.telling[stem] for stem in fit.lacking), default=0.0) / HEAVIEST,
        "cosine": max((score for score, _, _ in of_rows), default=0.0),
        "cosine_of_others": max((score for score, own, others in of_rows if others > own), default=0.0),
        # Of the best row: how much more it says of whom the question is about than of others.
        "ahead": next((own - others for _, own, others in of_rows), 0.0),
        "asks_when": float("time" in answer_types(question)),
    }


def _by_row(fit: EvidenceFit) -> Sequence[tuple[Evidence, tuple[float, float]]]:
    """Return each row, the best first, with the shares that its best sentences say of the subject and of others."""
    best: dict[str, tuple[Evidence, tuple[float, float]]] = {}
    for each in fit.sentences:
        row = each.sentence.row
        own, others = best[row.alias][1] if row.alias in best else (0.0, 0.0)
        best[row.alias] = (row, (max(own, each.own), max(others, each.others)))
    return list(best.values())


MAX_WINDOW_PASSAGES: Final = 5
"""The most passages to give if the question names no number."""
_ANSWERS: Final = THRESHOLD + 0.01  # least score of a passage that holds all telling words of the question
# The least share of the question's telling words that the best passage holds if the question names nobody…
_HALF: Final = 0.5
_MATCHES: Final = 0.5  # …and the least credit for a word that counts as held, itself or by a synonym


def passages_in_window(
    question: str, identifiers: Identifiers, passages: Sequence[Passage], *, most: int = MAX_WINDOW_PASSAGES
) -> tuple[Passage, ...]:
    """Return the passages that hold most of a question (without its time), best first; none if none holds enough."""
    question = question[:MOST_READ]
    named = {key for name in identifiers.names for key in name.own.keys}
    telling = term_weights(question)
    weights = {
        word.stem: telling[word.stem]
        for word in words(question)
        if word.key not in named and word.key not in ONES and word.stem in telling
    }
    shares = [(_share(weights, passage), passage) for passage in passages if not identifiers.is_missing_from(passage)]
    best = max((share for share, _ in shares), default=0.0)
    # A name narrows what may answer; without one, half of the words have to be there.
    if weights and not (best > 0 if named else best >= _HALF):
        return ()
    ranked = sorted(shares, key=lambda one: -one[0])
    return tuple(passage for share, passage in ranked if share > 0 or named or not weights)[:most]


def with_whole_matches(question: str, judged: Sequence[JudgedPassage]) -> tuple[JudgedPassage, ...]:
    """Return judged passages of a question's time; one that holds all telling words of the rest of it answers it."""
    telling = term_weights(question).keys()
    return _answering(judged, lambda one: bool(telling) and telling <= stems_in(one.passage.placed_text))


def with_matching_lists(question: str, judged: Sequence[JudgedPassage]) -> tuple[JudgedPassage, ...]:
    """Return judged passages; a list whose heading or lead-in holds all topic words of the question answers it."""
    topic = {word.stem for word in words(question) if not asks_for_a_form(word)} & term_weights(question).keys()
    return _answering(judged, lambda one: bool(topic) and any(topic <= stems_in(head) for head in _list_heads(one)))


def with_matching_rows(question: str, judged: Sequence[JudgedPassage]) -> tuple[JudgedPassage, ...]:
    """Return judged passages of notes; a row of a table that tells all that is asked answers it.

    Its cells hold one of the question's telling words, and they, the heads of its columns and its headings the others;
    of an amount or a time that is asked for it states one. No row tells why, or who where no column is asked for.
    """
    kinds = ("money",) if may_ask_for_money(question) else answer_types(question)
    topic = term_weights(question).keys() - (words_of_payment() if "money" in kinds else frozenset[str]())

    def tells(found: Candidate) -> bool:
        return any(
            _tells_all(line, topic, kinds) and not (asks_who(question) and topic.isdisjoint(stems_in(heads)))
            for heads, line in _lines_of(found)
            if cells_of(line.text) is not None
        )

    def lifted(one: JudgedPassage) -> JudgedPassage:
        at = next((at for at, row in enumerate(one.passage.rows) if one.score > -math.inf and tells(row)), None)
        started = one.passage if at is None else replace(one.passage, found=at)
        return one if at is None else replace(one, passage=started, score=max(one.score, _ANSWERS))

    is_told = bool(topic) and not asks_openly(question)
    return tuple(sorted(map(lifted, judged), key=lambda one: -one.score)) if is_told else tuple(judged)


def _tells_all(line: PlacedLine, topic: AbstractSet[str], kinds: Sequence[AnswerType]) -> bool:
    """Return whether a row of a table tells of a whole topic, and states what is asked for."""
    own, placed = stems_in(line.text), stems_in(f"{line.path}\n{line.text}")
    of_cells = {stem for stem in topic if match_credit(stem, own) >= _MATCHES}
    is_told = bool(of_cells) and all(match_credit(stem, placed) >= _MATCHES for stem in topic)
    if not is_told or ("time" in kinds and not stated_dates(line.text)):
        return False
    if "money" in kinds:
        return holds_price(of_cells, (line,))
    # Cells that hold the whole question say no more than it does.
    return len(of_cells) < len(topic) and ("number" not in kinds or bool(quantities(line.text)))


def _answering(
    judged: Sequence[JudgedPassage], is_answer: Callable[[JudgedPassage], bool]
) -> tuple[JudgedPassage, ...]:
    """Lift passages that are an answer over the line, unless they are excluded; the best first."""
    scored = (
        replace(one, score=max(one.score, _ANSWERS)) if one.score > -math.inf and is_answer(one) else one
        for one in judged
    )
    return tuple(sorted(scored, key=lambda one: -one.score))


def _list_heads(judged: JudgedPassage) -> Iterator[str]:
    hit = judged.passage.hit
    outline = outline_of(hit.text)
    yield from (line.said for at, line in enumerate(outline.lines) if len(outline.under(at)) > 1)
    if isinstance(hit.row, Observation) and list_item_of(hit.text):
        yield from hit.row.context_path[-1:]


def _share(weights: Mapping[str, float], passage: Passage) -> float:
    """Return the share of a question's telling words that a passage holds."""
    stems, total = stems_in(passage.placed_text), sum(weights.values())
    matched = sum(weight for stem, weight in weights.items() if match_credit(stem, stems) >= _MATCHES)
    return matched / total if total else 0.0
