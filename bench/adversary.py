"""How often the judge is talked past: `python -m bench.adversary --data FILE [--trials N] [--json]`.

Plays `bench.attacks` against the real judge: `N` trials of each group, spread over its attacks. The rows around the two
true sentences of each trial are drawn from a `memory-bench/1` file. Invented and padded citations are judged beside a
verifier that supports everything with all that is cited: nothing it says may lift them. False sentences are judged
without one: what rules alone call proven. `honest` is the share of the same drafts, nothing
done to them, that is accepted: a judge that refuses everything would show there. Seeded: the same file gives the same
figures.
"""

import argparse
import json
import random
import sys
from collections.abc import Sequence
from pathlib import Path
from time import process_time
from typing import TypedDict

from bench.attacks import GROUPS, Attack, Attacker
from bench.corpus import read_corpora
from bench.report import progress, share, table
from bench.worlds import World, world
from voice.core.errors import VoiceError
from voice.core.grounding.claim_verification import verification_request
from voice.core.grounding.judge import judge
from voice.core.grounding.proof import Proof, ProofContext, prove
from voice.core.grounding.values import GroundedResponse, GroundingPolicy
from voice.core.grounding.verifier_values import ClaimOpinion, DecidingWords, VerificationReply


class Count(TypedDict):
    """How many attacks were made and how many were accepted."""

    n: int
    accepted: int
    share: float


class Group(Count):
    """The sums of a group of attacks and the figures of each."""

    attacks: dict[str, Count]


_POLICY = GroundingPolicy()


def judged(attack: Attack) -> GroundedResponse:
    """Return what the judge makes of an attack; one that says nothing false of its own meets a verifier that errs."""
    proof = prove(attack.draft, attack.world.sent, ProofContext(question=attack.world.question))
    return judge(proof, _POLICY, reply=None if attack.lie else _supporting(proof), verifier="credulous")


def honest(at: World) -> GroundedResponse:
    """Return what the judge makes of the world's honest draft."""
    return judge(prove(at.honest, at.sent, ProofContext(question=at.question)), _POLICY)


def _supporting(proof: Proof) -> VerificationReply | None:
    """Return the reply of a verifier that supports everything with every cited row."""
    asked = verification_request(proof, question=proof.context.question, today=None)
    if asked is None:
        return None
    texts = {passage.alias: passage.text for passage in asked.passages}
    return VerificationReply(
        answers_question=True,
        opinions=tuple(
            ClaimOpinion(
                number=one.number,
                verdict="supported",
                words=tuple(DecidingWords(alias=alias, words=texts[alias]) for alias in one.cited),
            )
            for one in asked.claims
        ),
    )


def play(attacker: Attacker, texts: Sequence[str], trials: int, chance: random.Random) -> Count:
    """Return how many of `trials` attacks were accepted; worlds that do not fit the attack are passed over."""
    accepted = made = 0
    while made < trials:
        attack = attacker(world(texts, chance), chance)
        if attack is not None:
            made += 1
            accepted += attack.succeeded(judged(attack))
    return _count(made, accepted)


def measure(texts: Sequence[str], trials: int, seed: int = 11) -> dict[str, Group]:
    """Return the figures of every attack, by group, and under `honest` those of drafts to which nothing was done."""
    chance = random.Random(seed)
    result: dict[str, Group] = {}
    for group, attacks in GROUPS.items():
        each = -(-trials // len(attacks))
        figures = {name: play(attacks[name], texts, each, chance) for name in progress(list(attacks), group)}
        counts = figures.values()
        total = _count(sum(one["n"] for one in counts), sum(one["accepted"] for one in counts))
        result[group] = Group(**total, attacks=figures)
    worlds = max(1, trials // 10)
    passed = sum(not honest(world(texts, chance)).refused for _ in range(worlds))
    result["honest"] = Group(**_count(worlds, passed), attacks={})
    return result


def _count(made: int, accepted: int) -> Count:
    return Count(n=made, accepted=accepted, share=round(accepted / made, 5) if made else 0.0)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the benchmark and print its report."""
    parser = argparse.ArgumentParser(prog="python -m bench.adversary", description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="a memory-bench/1 file")
    parser.add_argument("--trials", type=int, default=10_000, help="trials of each group of attacks")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    options = parser.parse_args(arguments)
    try:
        texts = [row.content for corpus in read_corpora(options.data) for row in corpus.rows if len(row.content) >= 40]
    except VoiceError as error:
        print(f"bench.adversary: {error}", file=sys.stderr)
        return error.exit_code
    began = process_time()
    result = measure(texts, options.trials)
    cpu = {"cpu_s": round(process_time() - began, 1)}
    print(json.dumps(result | cpu, indent=1) if options.json else _report(result))
    return 0


def _report(result: dict[str, Group]) -> str:
    lines: list[list[str]] = []
    for group, figures in result.items():
        lines += [_line(group, figures), *(_line(f"  {name}", one) for name, one in figures["attacks"].items())]
    return table(["attack", "n", "accepted", "share"], lines)


def _line(name: str, count: Count) -> list[str]:
    return [name, str(count["n"]), str(count["accepted"]), share(count["share"], of=count["n"], digits=4)]


if __name__ == "__main__":
    sys.exit(main())
