"""What the commands have in common that ask a model on this machine, beside the loop itself (`bench.real_model`)."""

import argparse
from pathlib import Path

from bench.real_model.__main__ import Endpoint, Options, settings_of
from bench.real_model.carriers import default_directory
from bench.real_model.drafts import DraftCache, RecordingClient
from bench.real_model.models import MODELS
from voice.adapters.system.clock_and_ids import SystemClock
from voice.bootstrap import make_llm
from voice.core.settings.parse import parse_settings
from voice.core.settings.values import Settings


def add_model_arguments(parser: argparse.ArgumentParser) -> None:
    """Add which model is asked, where its replies are kept, and how the report is printed."""
    parser.add_argument("--model", choices=sorted(MODELS), default="1.5b", help="which one (1.5b)")
    parser.add_argument("--cache", type=Path, default=default_directory(), help="models and replies")
    parser.add_argument("--offline", action="store_true", help="download nothing")
    parser.add_argument("--rejudge", action="store_true", help="ask nobody: take the replies that are there")
    parser.add_argument("--json", action="store_true", help="print one JSON object")


def options_of(given: argparse.Namespace, *, prompt_tokens: int, output_tokens: int) -> Options:
    """Return what was asked for with `add_model_arguments` and `--data`."""
    return Options(
        model=MODELS[given.model],
        questions=0,
        of_each=0,
        data=tuple(given.data),
        budget=prompt_tokens,
        output_tokens=output_tokens,
        cache=given.cache.expanduser().absolute(),
        may_download=not given.offline,
        rejudge=given.rejudge,
        page=None,
    )


def client_of(options: Options, endpoint: Endpoint, *, folder: str) -> tuple[RecordingClient, Settings]:
    """Return who asks the model and keeps its replies in `folder`, and the settings of a person with such a server."""
    settings = parse_settings(settings_of(options, endpoint), {}, {}).settings
    cache = DraftCache(directory=options.cache / folder / options.model.name, model_sha256=options.model.sha256)
    cpu_s = endpoint.server.cpu_s if endpoint.server else None
    return RecordingClient(make_llm(settings.llm, SystemClock()), cache, cpu_s=cpu_s), settings
