"""What a language model is worth as a judge: `python -m bench.verifier.llm_judge --data FILE [--pairs N] [--model …]`.

Takes answers of one sentence from `grounding-bench/1` files, as many supported as unsupported, the sets of the latter
in turn, and has the judge of `SURR_VERIFIER=llm` say of each whether its evidence holds it. The model is the one that
`bench.real_model` asks, on this machine; replies are remembered beside its drafts, so that a run that was ended goes
on where it was, and `--rejudge` asks nobody. Printed is how the rules, the judge, and both as the program puts them
together tell the two apart; no text of the files.
"""

import argparse
import json
import sys
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, cast

import anyio
from blake3 import blake3

from bench.grounding import THRESHOLD, Item, auroc, read_items
from bench.peers.environments import PeerMissing
from bench.real_model.__main__ import Options, serving
from bench.real_model.command import add_model_arguments, client_of, options_of
from bench.real_model.drafts import RecordingClient
from bench.report import machine, progress, table
from bench.verifier.scoring import is_asked
from voice.adapters.files.prompts import load_prompts
from voice.adapters.verifiers.llm_judge import NAME, PAIRS_PER_CALL, TEMPLATE, THRESHOLDS, LlmJudge
from voice.core.context.template import latest
from voice.core.errors import OpinionMalformed, ProviderRejected, VoiceError
from voice.core.grounding.claims import Grounds, Judged, judge_sentence
from voice.core.grounding.opinions import as_pair, under_opinion, weigh
from voice.core.grounding.passages import all_passages
from voice.core.grounding.verification import ClaimPair, Scores
from voice.core.grounding.who import people_of
from voice.core.text.sentences import sentences
from voice.core.tokens import ConservativeCounter
from voice.ports.llm import LlmClient
from voice.ports.verifier import VerifierRequest
from voice.testing.verifiers import UnpaidMeter

_OUTPUT_TOKENS: Final = 640
"""Twelve verdicts and some to spare."""
_PROMPT_TOKENS: Final = 3_000
_LONGEST_S: Final = 3_600.0
_WAYS: Final = ("rules", NAME, "together")


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One sentence with its evidence, its label and what the rules make of it."""

    set_name: str
    is_unsupported: bool
    pair: ClaimPair = field(repr=False)
    judged: Judged = field(repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """A case with what the judge said of it; None = nothing of the right shape."""

    case: Case
    said: Scores | None


def chosen(paths: Sequence[Path], pairs: int) -> list[Case]:
    """Return `pairs` cases, half of them supported, by the hashes of their texts.

    Raises:
        DataFileError: a file cannot be read.
    """
    lines: dict[tuple[bool, str], list[Item]] = defaultdict(list)
    for path in paths:
        for item in read_items(path):
            lines[item.is_unsupported, item.set_name].append(item)
    cases: list[Case] = []
    for label in (False, True):
        of_label = [sorted(items, key=_hash) for (bad, _), items in sorted(lines.items()) if bad is label]
        in_turn = (line[at] for at in range(max(map(len, of_label), default=0)) for line in of_label if at < len(line))
        found: list[Case] = []
        for item in in_turn:
            if len(found) == pairs // 2:
                break
            case = _case(item)
            found += [case] if case else []
        cases += found
    return sorted(cases, key=lambda case: blake3(case.pair.claim.encode()).hexdigest())


def _hash(item: Item) -> str:
    return blake3("\n".join((item.answer, *(row.text for row in item.evidence))).encode()).hexdigest()


def _case(item: Item) -> Case | None:
    """Return an answer of one sentence that a verifier may be shown, else None."""
    said = sentences(item.answer)
    passages = tuple(passage for row in item.evidence for passage in all_passages(row))
    if len(said) != 1 or not passages:
        return None
    grounds = Grounds(rows=item.evidence, passages=passages, people=people_of(item.evidence))
    judged = judge_sentence(said[0], grounds, THRESHOLD)
    if not is_asked(judged) or judged.verdict == "not_a_claim":
        return None
    pair = as_pair(said[0], judged, passages)
    return Case(set_name=item.set_name, is_unsupported=item.is_unsupported, pair=pair, judged=judged)


async def hear(cases: Sequence[Case], client: LlmClient, *, per_call: int) -> list[Verdict]:
    """Return what the judge says of every case, asked `per_call` at a time."""
    judge = LlmJudge(client, counter=ConservativeCounter(), template=latest(load_prompts(), TEMPLATE))
    verdicts: list[Verdict] = []
    starts = range(0, len(cases), per_call)
    for start in progress(starts, "asking the judge"):
        some = cases[start : start + per_call]
        request = VerifierRequest(pairs=tuple(case.pair for case in some), timeout_s=_LONGEST_S, meter=UnpaidMeter())
        try:
            said = await judge.score(request)
        except (OpinionMalformed, ProviderRejected):
            said = [None] * len(some)
        verdicts += [Verdict(case=case, said=one) for case, one in zip(some, said, strict=True)]
    return verdicts


def report_on(verdicts: Sequence[Verdict]) -> dict[str, object]:
    """Return the figures: each of the three ways over all cases that the judge has an opinion on, and by set."""
    heard = [one for one in verdicts if one.said is not None]
    by_set: dict[str, list[Verdict]] = defaultdict(list)
    for one in heard:
        by_set[one.case.set_name].append(one)
    return {
        "pairs": len(verdicts),
        "without_opinion": len(verdicts) - len(heard),
        "auroc": {way: _auroc(heard, way) for way in _WAYS},
        "accuracy": {way: _share([_flags(one, way) is one.case.is_unsupported for one in heard]) for way in _WAYS},
        "flagged": {
            name: {
                "pairs": len(own),
                "is_unsupported": own[0].case.is_unsupported,
                **{way: _share([_flags(one, way) for one in own]) for way in _WAYS},
            }
            for name, own in sorted(by_set.items())
        },
        "changed_by_the_judge": _changed(heard),
    }


def _changed(heard: Sequence[Verdict]) -> dict[str, int]:
    """Return how often the judge turned the rules' verdict, rightly and wrongly."""
    changed = [one for one in heard if _flags(one, "rules") is not _flags(one, "together")]
    rightly = sum(_flags(one, "together") is one.case.is_unsupported for one in changed)
    return {"rightly": rightly, "wrongly": len(changed) - rightly}


def _flags(one: Verdict, way: str) -> bool:
    """Return whether a way calls a case unsupported."""
    said = cast("Scores", one.said)
    if way == NAME:
        return said.entailed < 1.0
    judged = one.case.judged
    if way == "together":
        judged = under_opinion(one.case.pair.claim, judged, weigh({NAME: (said, THRESHOLDS)}, "all"))
    return judged.verdict != "supported"


def _measure(one: Verdict, way: str) -> float:
    """Return how unsupported a way finds a case: the judge's three words, or the lexical score, or both added."""
    said = cast("Scores", one.said)
    word = THRESHOLD * (1.0 - said.entailed + said.contradicted)
    lexical = one.case.pair.lexical
    return {"rules": lexical, NAME: word, "together": lexical + word}[way]


def _auroc(heard: Sequence[Verdict], way: str) -> float | None:
    bad, good = ([_measure(one, way) for one in heard if one.case.is_unsupported is label] for label in (True, False))
    value = auroc(bad, good)
    return None if value is None else round(value, 4)


def _share(flags: Sequence[bool]) -> float | None:
    return round(sum(flags) / len(flags), 4) if flags else None


def run(options: Options, *, pairs: int, per_call: int) -> dict[str, object]:
    """Ask the judge, and return the report.

    Raises:
        PeerMissing: server or model cannot be had.
        VoiceError: a file cannot be read, or the program could not be run.
    """
    cases = chosen(options.data, pairs)
    with serving(options) as endpoint:
        client, _ = client_of(options, endpoint, folder="verdicts")
        verdicts = anyio.run(_heard, cases, client, per_call)
    return {
        "model": options.model.name,
        "per_call": per_call,
        **report_on(verdicts),
        "asked": client.asked,
        "replayed": client.replayed,
        "missing": client.missing,
        "server_cpu_s": round(sum(call.cpu_s for call in client.take()), 1),
        "machine": machine(),
    }


async def _heard(cases: Sequence[Case], client: RecordingClient, per_call: int) -> list[Verdict]:
    try:
        return await hear(cases, client, per_call=per_call)
    finally:
        await client.aclose()


def _as_table(report: dict[str, object]) -> str:
    flagged = cast("dict[str, dict[str, object]]", report["flagged"])
    rows = [
        [f"{name}, {'unsupported' if own['is_unsupported'] else 'supported'}", str(own["pairs"])]
        + [str(own[way]) for way in _WAYS]
        for name, own in flagged.items()
    ]
    for measure in ("auroc", "accuracy"):
        figures = cast("dict[str, float | None]", report[measure])
        rows.append([measure, "", *(str(figures[way]) for way in _WAYS)])
    others = {key: value for key, value in report.items() if key not in ("flagged", "auroc", "accuracy")}
    return f"{table(['flagged as unsupported', 'pairs', *_WAYS], rows)}\n{json.dumps(others)}"


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure the judge and print the report."""
    parser = argparse.ArgumentParser(prog="python -m bench.verifier.llm_judge", description=__doc__)
    parser.add_argument(
        "--data", type=Path, action="append", required=True, help="a grounding-bench/1 file; repeatable"
    )
    parser.add_argument("--pairs", type=int, default=60, help="how many, half of them supported (60)")
    parser.add_argument("--per-call", type=int, default=PAIRS_PER_CALL, help="asked together (as the program: 12)")
    add_model_arguments(parser)
    given = parser.parse_args(arguments)
    options = options_of(given, prompt_tokens=_PROMPT_TOKENS, output_tokens=_OUTPUT_TOKENS)
    try:
        report = run(options, pairs=given.pairs, per_call=min(given.per_call, PAIRS_PER_CALL))
    except PeerMissing as missing:
        print(f"bench.verifier.llm_judge: {missing}", file=sys.stderr)
        return 4
    except VoiceError as error:
        print(f"bench.verifier.llm_judge: {error}", file=sys.stderr)
        return error.exit_code
    print(json.dumps(report, indent=1) if given.json else _as_table(report))
    return 0


if __name__ == "__main__":
    sys.exit(main())
