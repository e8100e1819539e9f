"""Right and wrong readings of labelled notes."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from bench.extraction_notes import LabelledEntity, LabelledNote, LabelledRelation
from voice.core.extraction.entities import things_in
from voice.core.extraction.entity_types import Evidence, Rule
from voice.core.extraction.extract import extract
from voice.core.extraction.relations import calendar_at, period_in
from voice.core.extraction.sentences import TITLES, parse_note
from voice.core.graph.entity_names import KnownNames
from voice.core.graph.review.extraction_results import (
    SYMMETRIC,
    Extracted,
    ExtractedEntity,
    ExtractedRelation,
    sure_enough,
)
from voice.core.graph.thoughts.distillation import statement_spans
from voice.core.records import Thought
from voice.core.text.normalise import norm_v1


@dataclass(frozen=True, slots=True, kw_only=True)
class Tally:
    """How many were read, how many rightly, how many there are."""

    read: int = 0
    right: int = 0
    found: int = 0
    labelled: int = 0
    dated: int = 0
    """Rightly read ones that the note bounds in time."""
    dated_right: int = 0
    misses: tuple[str, ...] = ()

    def plus(self, other: "Tally") -> "Tally":
        """Return both together."""
        return Tally(
            read=self.read + other.read,
            right=self.right + other.right,
            found=self.found + other.found,
            labelled=self.labelled + other.labelled,
            dated=self.dated + other.dated,
            dated_right=self.dated_right + other.dated_right,
            misses=self.misses + other.misses,
        )

    def as_json(self) -> dict[str, object]:
        """Return the figures as they are printed."""
        return {
            "precision": round(self.right / self.read, 4) if self.read else None,
            "recall": round(self.found / self.labelled, 4) if self.labelled else None,
            "n": self.labelled,
            "read": self.read,
            "bounded_in_time": self.dated,
            "bounds_right": self.dated_right,
        }


def score_note(note: LabelledNote) -> dict[str, Tally]:
    """Return what is read out of a note at the thresholds, against its labels."""
    scores = scores_of(note, sure_enough(extract([note.thought])))
    return {**scores, "observations": _observations(note, statements_of(note.thought))}


def scores_of(note: LabelledNote, extracted: Extracted) -> dict[str, Tally]:
    """Return what was read out of a note, against its labels."""
    return {
        "entities": _entities(note, extracted.entities),
        "relations": _relations(note, extracted.relations),
    }


def _bare(name: str) -> str:
    words = norm_v1(name).removeprefix("the ").split()
    while len(words) > 1 and words[0].rstrip(".") in TITLES:
        words = words[1:]
    return " ".join(words)


def _label_of(note: LabelledNote, name: str) -> LabelledEntity | None:
    return next((one for one in note.entities if _bare(name) in set(map(_bare, one.names))), None)


def _fits(label: LabelledEntity | None, entity_type: str) -> bool:
    return label is not None and label.entity_type in (None, entity_type)


def _entities(note: LabelledNote, entities: Sequence[ExtractedEntity]) -> Tally:
    right: set[str] = set()
    misses: list[str] = []
    for entity in entities:
        label = _label_of(note, entity.name)
        if label is None or label.name in right or not _fits(label, entity.entity_type):
            misses.append(f"wrong {entity.name} ({entity.entity_type}, {entity.confidence})")
        else:
            right.add(label.name)
    misses += [f"missing {one.name} ({one.entity_type})" for one in note.entities if one.name not in right]
    return Tally(
        read=len(entities), right=len(right), found=len(right), labelled=len(note.entities), misses=tuple(misses)
    )


def _same(note: LabelledNote, relation: ExtractedRelation, label: LabelledRelation) -> bool:
    ends = [_label_of(note, name) for name in (relation.source, relation.target)]
    names = [one.name if one else None for one in ends]
    wanted = [label.source, label.target]
    turned = relation.rel_type in SYMMETRIC and names[::-1] == wanted
    return relation.rel_type == label.rel_type and (names == wanted or turned)


def _relations(note: LabelledNote, relations: Sequence[ExtractedRelation]) -> Tally:
    right: list[tuple[ExtractedRelation, LabelledRelation]] = []
    misses: list[str] = []
    for relation in relations:
        label = next((one for one in note.relations if _same(note, relation, one)), None)
        if label is None or any(label is other for _, other in right):
            misses.append(f"wrong {relation.source} {relation.rel_type} {relation.target}")
        else:
            right.append((relation, label))
    dated = [(one, label) for one, label in right if label.period != (None, None)]
    exact = [one for one, label in right if (one.valid_from, one.valid_until) == label.period]
    found = [label for _, label in right]
    misses += [f"missing {one.source} {one.rel_type} {one.target}" for one in note.relations if one not in found]
    misses += [
        f"bounds {one.source} {one.rel_type} {one.target}: {one.valid_from} {one.valid_until}"
        for one, label in right
        if (one.valid_from, one.valid_until) != label.period
    ]
    return Tally(
        read=len(relations),
        right=len(right),
        found=len(right),
        labelled=len(note.relations),
        dated=len(dated),
        dated_right=sum(1 for one, _ in dated if one in exact),
        misses=tuple(misses),
    )


def statements_of(thought: Thought) -> list[tuple[int, int]]:
    """Return the spans of what a note states, as they become its observations."""
    return list(statement_spans(thought.content, in_dialogue=thought.speaker is not None))


def _observations(note: LabelledNote, spans: Sequence[tuple[int, int]]) -> Tally:
    language, calendar = parse_note(note.thought.content).language, calendar_at(note.thought.created_at)
    right = dated = dated_right = 0
    misses: list[str] = []
    for start, end in spans:
        text = note.thought.content[start:end]
        period = period_in(text, language, calendar)
        held = [s for s in note.sentences if start < s.end and s.start < end and s.kind != "none"]
        wanted = next((s.period for s in held if s.period != (None, None)), (None, None))
        is_right = bool(held) and wanted == (period.start, period.end)
        right += is_right
        dated += wanted != (None, None)
        dated_right += is_right and wanted != (None, None)
        if not is_right:
            misses.append(f"wrong {text!r} {period.start} {period.end}")
    statements = [s for s in note.sentences if s.kind == "statement"]
    lost = [s for s in statements if not any(a <= s.start and s.end <= b for a, b in spans)]
    misses += [f"missing {note.thought.content[s.start : s.end]!r}" for s in lost]
    return Tally(
        read=len(spans),
        right=right,
        found=len(statements) - len(lost),
        labelled=len(statements),
        dated=dated,
        dated_right=dated_right,
        misses=tuple(misses),
    )


_OF_THE_SENTENCE = {Rule.CUE, Rule.MEETING, Rule.DEED, Rule.OPENING_DEED}


def _alone(evidence: Sequence[Evidence]) -> Sequence[Evidence]:
    """Return the evidence whose worth shows: what its sentence does with a name only where that says nothing."""
    found = list(dict.fromkeys(evidence))
    own = [one for one in found if one.rule not in _OF_THE_SENTENCE]
    return own or found


def shares_of_rules(notes: Sequence[LabelledNote], half: str) -> Iterator[str]:
    """Yield, for each rule, how often what it alone or with others read was right, drawn to the rule's usual share."""
    read_by: Counter[tuple[str, str]] = Counter()
    right_by: Counter[tuple[str, str]] = Counter()
    for note in notes:
        if half not in ("all", note.half):
            continue
        for thing in things_in(parse_note(note.thought.content), KnownNames(), note.thought.speaker):
            label = _label_of(note, thing.name)
            for kind, rule in _alone(thing.evidence):
                read_by[kind, rule] += 1
                right_by[kind, rule] += _fits(label, kind)
    for (kind, rule), count in sorted(read_by.items()):
        of_rule = [pair for pair in read_by if pair[1] == rule]
        usual = (sum(right_by[pair] for pair in of_rule) + 1) / (sum(read_by[pair] for pair in of_rule) + 2)
        share = (right_by[kind, rule] + 2 * usual) / (count + 2)
        yield f'("{kind}", Rule.{str(rule).upper()}): {share:.2f},  # {right_by[kind, rule]} of {count}'
