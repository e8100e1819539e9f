"""What a language model adds to reading notes: `python -m bench.extraction_model --data NOTES [--model …] [--json]`.

Has the reader of `SURR_EXTRACTOR=llm` read the labelled notes of `bench.extraction`, whose other formats have no labels
of entities and relations. The model is the one that `bench.real_model` asks, on this machine; replies are remembered
beside its drafts, and `--rejudge` asks nobody. Printed for entities and relations, as they would be staged: what the
rules read, what the model said and its notes bear out, and both as the program puts them together.
"""

import argparse
import json
import sys
from collections.abc import Sequence
from itertools import chain
from pathlib import Path
from typing import Final, cast

import anyio

from bench.extraction_notes import LabelledNote, NotesError, read_notes
from bench.extraction_scores import Tally, scores_of
from bench.peers.environments import PeerMissing
from bench.real_model.__main__ import Options, serving
from bench.real_model.command import add_model_arguments, client_of, options_of
from bench.real_model.drafts import RecordingClient
from bench.report import machine, table
from voice.adapters.files.prompts import load_prompts
from voice.adapters.llm.model_facts import counter_of
from voice.adapters.system.clock_and_ids import SystemClock, SystemIds
from voice.core.errors import VoiceError
from voice.core.extraction.extract import extract
from voice.core.extraction.model_reply import beside
from voice.core.graph.review.extraction_results import Extracted, ExtractedRelation, sure_enough
from voice.core.settings.values import Settings
from voice.services.graph.model_extraction import ModelRead, ModelReading
from voice.services.runtime.spending import Spending

_OUTPUT_TOKENS: Final = 1_200
_PROMPT_TOKENS: Final = 3_000
_WAYS: Final = ("rules", "llm", "both")
_KINDS: Final = ("entities", "relations")


def readings(note: LabelledNote, read: ModelRead) -> dict[str, Extracted]:
    """Return what each way would stage of a note: the rules, the model, both."""
    rules = sure_enough(extract([note.thought]))
    said = of_note(read.found, note.thought.id)
    added = beside(rules, said)
    both = Extracted(entities=(*rules.entities, *added.entities), relations=_once(rules, added))
    return {"rules": rules, "llm": said, "both": both}


def of_note(found: Sequence[Extracted], thought_id: str) -> Extracted:
    """Return what was found in one note."""
    entities = chain.from_iterable(each.entities for each in found)
    relations = chain.from_iterable(each.relations for each in found)
    return Extracted(
        entities=tuple(one for one in entities if any(at.thought_id == thought_id for at in one.mentions)),
        relations=tuple(one for one in relations if any(at.thought_id == thought_id for at in one.mentions)),
    )


def _once(rules: Extracted, added: Extracted) -> tuple[ExtractedRelation, ...]:
    there = {(one.source, one.rel_type, one.target) for one in rules.relations}
    new = [one for one in added.relations if (one.source, one.rel_type, one.target) not in there]
    return (*rules.relations, *new)


def report_on(notes: Sequence[LabelledNote], read: ModelRead) -> dict[str, object]:
    """Return precision and recall of each way."""
    tallies = {way: {kind: Tally() for kind in _KINDS} for way in _WAYS}
    for note in notes:
        for way, extracted in readings(note, read).items():
            scored = scores_of(note, extracted)
            for kind in _KINDS:
                tallies[way][kind] = tallies[way][kind].plus(scored[kind])
    figures = {way: {kind: tally.as_json() for kind, tally in by_kind.items()} for way, by_kind in tallies.items()}
    return {"notes": len(notes), **figures, "unsupported": read.unsupported, "unread": read.unread}


async def _read(notes: Sequence[LabelledNote], client: RecordingClient, settings: Settings) -> ModelRead:
    clock = SystemClock()
    reading = ModelReading(
        llm=client,
        counter=counter_of(client.profile),
        prompts=load_prompts(),
        clock=clock,
        ids=SystemIds(clock),
        spending=Spending(),
        limits=settings.llm,
        allow_private_remote=settings.privacy.allow_private_remote,
    )
    try:
        return await reading([note.thought for note in notes])
    finally:
        await client.aclose()


def run(options: Options, half: str) -> dict[str, object]:
    """Ask the model, and return the report.

    Raises:
        NotesError: a file holds no labelled notes.
        PeerMissing: server or model cannot be had.
        VoiceError: the program could not be run.
    """
    notes = [note for path in options.data for note in read_notes(path) if half in ("all", note.half)]
    with serving(options) as endpoint:
        client, settings = client_of(options, endpoint, folder="readings")
        read = anyio.run(_read, notes, client, settings)
    if read.fault is not None:
        raise read.fault
    return {
        "model": options.model.name,
        "half": half,
        **report_on(notes, read),
        "asked": client.asked,
        "replayed": client.replayed,
        "server_cpu_s": round(sum(call.cpu_s for call in client.take()), 1),
        "machine": machine(),
    }


def _as_table(report: dict[str, object]) -> str:
    found = {way: cast("dict[str, dict[str, object]]", report[way]) for way in _WAYS}
    rows = [
        [way, kind, *(str(own[name]) for name in ("precision", "recall", "n", "read"))]
        for way, by_kind in found.items()
        for kind, own in by_kind.items()
    ]
    others = {key: value for key, value in report.items() if key not in _WAYS}
    return f"{table(['read by', 'kind', 'precision', 'recall', 'labelled', 'read'], rows)}\n{json.dumps(others)}"


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure the reader and print the report."""
    parser = argparse.ArgumentParser(prog="python -m bench.extraction_model", description=__doc__)
    parser.add_argument("--data", type=Path, action="append", required=True, help="labelled notes; repeatable")
    parser.add_argument("--half", choices=("dev", "held_out", "all"), default="held_out")
    add_model_arguments(parser)
    given = parser.parse_args(arguments)
    options = options_of(given, prompt_tokens=_PROMPT_TOKENS, output_tokens=_OUTPUT_TOKENS)
    try:
        report = run(options, given.half)
    except PeerMissing as missing:
        print(f"bench.extraction_model: {missing}", file=sys.stderr)
        return 4
    except (NotesError, OSError) as error:
        print(f"bench.extraction_model: {error}", file=sys.stderr)
        return 2
    except VoiceError as error:
        print(f"bench.extraction_model: {error}", file=sys.stderr)
        return error.exit_code
    print(json.dumps(report, indent=1) if given.json else _as_table(report))
    return 0


if __name__ == "__main__":
    sys.exit(main())
