"""`voice ask`, and what it shares with `voice chat`.

Law: on a terminal one line on stderr says how far a question is, and is gone before the answer is printed; elsewhere
only a verifier's test is announced. The line holds counts and names, no word of a draft (ruling D9).

Source: docs/streaming.md; DESIGN 8.
"""

import sys
from collections.abc import Awaitable, Generator, Mapping
from contextlib import aclosing, contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Final, Literal

import click

from voice.core.errors import ConfigurationError, DataFileError, VoiceError
from voice.core.grounding.values import RefusalReason
from voice.core.text.display import printable, printable_block
from voice.entrypoints.cli.terminal import forms
from voice.entrypoints.cli.terminal.printing import day_of, is_terminal, note, print_json, wants_json
from voice.entrypoints.cli.terminal.request_options import options_said, request_options
from voice.entrypoints.cli.terminal.runtime import console, flag, json_option, load_settings, option, run, stdin_text
from voice.requests import questions

if TYPE_CHECKING:
    from voice.bootstrap import Services
    from voice.core.interchange.origin import Location
    from voice.core.session.turn_events import Event, EventListener
    from voice.core.session.values import DialogueExchange
    from voice.entrypoints.shared.sessions import Shape
    from voice.services.runtime.turn import AskRequest, Turn

_MODELLESS = "extractive"  # the provider that needs no model: it quotes
EXIT_REFUSED = 3
EXIT_PROVIDER = 5
EXIT_BUDGET = 6

Form = Literal["text", "markdown", "json", "plain"]
plain_option = flag("--plain", "Print whole sentences, one per line, without signs or columns (for a screen reader).")
TURN: Final = questions.ASK.without("question", "as_of", "shape", "explain", "idempotency_key")
"""What is said of the turns of a conversation."""
model_option = option("-m --model", "Use this model for this call.", "PROVIDER/MODEL")


def model_flags(model: str | None) -> dict[str, object]:
    """Return the settings of `--model PROVIDER/MODEL`. Raises click.UsageError: it names no model or provider."""
    if model is None:
        return {}
    provider, _, name = model.partition("/")
    if model != _MODELLESS and not (provider and name):  # "-m extractive" stands alone
        raise click.UsageError(f"-m takes PROVIDER/MODEL, such as gemini/gemini-2.5-pro, not {model!r}")
    return {"llm.provider": provider, "llm.model": name or provider}


@click.command()
@flag("-c --continue continued", "Continue the most recent session; fail if there is none.")
@request_options(questions.ASK)
@model_option
@flag("--dry-run", "Show what voice would send and what it could cost, without a model call.")
@option(
    "--format form",
    "How to print the answer. Default: text on a terminal, else markdown.",
    type=click.Choice(["text", "markdown", "json"]),
)
@plain_option
@json_option
@flag("--stream-json", "Print each step as it happens: one JSON event per line, the answer last.")
def ask(
    question: str | None,
    continued: bool,
    model: str | None,
    dry_run: bool,
    explain: bool,
    form: Form | None,
    plain: bool,
    shape: "Shape",
    stream_json: bool,
    **options: object,
) -> int:
    """Ask one question. Voice answers with what your notes prove, and refuses if they prove too little.

    Signs: ✓ proven (quoted word for word, or verified against the source), ~ not checked, ✗ not supported or
    contradicted. Voice leaves out what is not proven and counts it; SURR_INNER_VOICE_ON_UNSUPPORTED=mark shows it,
    marked.

    Without -c, -s or --new, the question continues the most recent open session, or starts one. --new QUESTION alone
    asks it in a new session.

    \b
    Examples:
      voice ask "Where did I leave the kiln?"
      voice ask --stance challenge "I should take the job in Porto"
      echo "What did Codex say on Friday?" | voice ask --json
      voice ask --stream-json "Where is the kiln?" | jq -r 'select(.event == "sentence").shown'
    """
    # Each of the three says which session is meant.
    if sum((continued, options["session"] is not None, options["new_topic"] is not None)) > 1:
        raise click.UsageError("choose one of -c, -s ID and --new TOPIC")
    form = _chosen_form(form, plain=plain)
    if stream_json and (form or explain or dry_run or shape != "full"):
        raise click.UsageError("--stream-json cannot be combined with another format, --explain or --dry-run")
    asked = _question(question, options)
    said = options_said(questions.ASK, {**options, "question": asked, "shape": shape})
    request = forms.sessions.question_asked(
        {**said, "create": not continued}
    )  # -c fails where there is no session, else one starts
    if dry_run:
        return _dry_run(request, model, as_json=form == "json")
    if stream_json:
        return _stream(request, model)
    turn, locations = run(lambda services: ask_with_locations(services, request), flags=model_flags(model), gated=True)
    if form == "json":
        _print_as_json(turn, shape, locations, explain=explain)
    else:
        print_turn(turn, form, locations)
        if explain:
            print_explanation(turn)
    return exit_code_of(turn)


def _print_as_json(turn: "Turn", shape: "Shape", locations: "Mapping[str, Location]", *, explain: bool) -> None:
    if shape == "nlq":
        _notes_on(turn)  # S3's shape has no place for them
    elif told := forms.sessions.quarantine_note(turn):
        note(told)
    print_json(forms.sessions.turn_json(turn, shape, explain=explain, locations=locations))


def _question(question: str | None, options: dict[str, object]) -> str:
    """Return the question; where none is said nor piped in, what `--new` says is it, and names the session."""
    from voice.core.context.question import require_question
    from voice.core.session.lifecycle import topic_of

    topic = options["new_topic"]
    is_said = question is not None or topic is None or not sys.stdin.isatty()  # a pipe is the question, even with --new
    said = stdin_text(question, what="your question") if is_said else ""
    if question is None and isinstance(topic, str) and not said.strip():
        options["new_topic"], said = topic_of(topic, include_private=options["include_private"] is True), topic
    return require_question(said)


def _chosen_form(form: Form | None, *, plain: bool) -> Form | None:
    if wants_json() and form not in (None, "json"):
        raise click.UsageError("choose one of --json and --format")
    if plain and (wants_json() or form in ("json", "markdown")):
        raise click.UsageError("--plain cannot be combined with --json or --format")
    return "plain" if plain else "json" if wants_json() else form


@contextmanager
def status_line() -> "Generator[EventListener]":
    """Show how far a question is while the block runs; yield what is to be told of its events."""
    if not sys.stderr.isatty():
        yield _told_of_trials
        return
    from rich.markup import escape

    with console(stderr=True).status("reading the question") as status:

        def tell(event: "Event") -> None:
            _told_of_trials(event)  # before the status line, which it would overwrite
            status.update(escape(printable(forms.turn_json.event_line(event))))

        yield tell


def _told_of_trials(event: "Event") -> None:
    """Say that a verifier is tried first, wherever stderr goes: it takes time and money, once."""
    from voice.core.session.turn_events import Calibrating

    if isinstance(event, Calibrating):
        note(forms.turn_json.calibrating_line(event))


async def ask_with_locations(services: "Services", request: "AskRequest") -> "tuple[Turn, Mapping[str, Location]]":
    """Return the turn, and where its sources stand, by their rows' ids; on a terminal a line says how far it is."""
    with status_line() as tell:
        turn = await services.ask(request, tell)
    return turn, await cited_locations(services, turn.exchange)


async def cited_locations(services: "Services", exchange: "DialogueExchange") -> "Mapping[str, Location]":
    """Return where what a turn cites, or found, stands, by row; where that cannot be read, a line says so."""
    cited = (*exchange.sources, *exchange.evidence_found)
    return await places_or_note(services.source_locations.cited(cited)) if cited else {}


async def places_or_note(finding: "Awaitable[Mapping[str, Location]]") -> "Mapping[str, Location]":
    """Return where rows stand; where that cannot be read it is said, and what is shown stands without."""
    try:
        return await finding
    except DataFileError as error:
        note(error.message)
        return {}


def _stream(request: "AskRequest", model: str | None) -> int:
    """Print the events of a turn as they happen; one that cannot be made ends with an event that says so."""
    try:
        turn = run(lambda services: _ask_streaming(services, request), flags=model_flags(model), gated=True)
    except VoiceError as error:  # the last line of the stream is JSON as well
        advised = forms.advice.message_with_advice(error, forms.advice.AT_THE_COMMAND_LINE)
        print_json(forms.turn_json.error_json(error.code, advised), indent=None)
        raise
    _notes_on(turn)
    return exit_code_of(turn)


async def _ask_streaming(services: "Services", request: "AskRequest") -> "Turn":
    from voice.services.runtime.turn import stream_turn

    done: list[Turn] = []  # the stream yields events alone

    async def asking(tell: "EventListener") -> None:
        done.append(await services.ask(request, tell))

    async with aclosing(stream_turn(asking)) as events:  # Ctrl-C closes the stream, which withdraws the question
        async for event in events:
            print_json(forms.turn_json.event_json(event), indent=None)
    return done[0]


def _dry_run(request: "AskRequest", model: str | None, *, as_json: bool) -> int:
    """Show what a question would do; the exit code is that of the refusal it would end with, or 0."""
    foreseen = run(lambda services: services.dry_run(request), flags=model_flags(model), gated=True)
    # A preview does not fail for a missing key: nothing is sent.
    foreseen = replace(foreseen, warnings=(*foreseen.warnings, *_what_is_missing(model)))
    if as_json:
        print_json(forms.sessions.dry_run_json(foreseen))
    else:
        from voice.entrypoints.cli.show.turn import show_foreseen

        show_foreseen(foreseen, console(), has_key=request.idempotency_key is not None)
    if foreseen.refused is not None:  # a refusal that is certain before any model is asked
        return EXIT_REFUSED
    return EXIT_BUDGET if foreseen.capped else 0


def _what_is_missing(model: str | None) -> tuple[str, ...]:
    try:
        load_settings(model_flags(model)).settings.llm.require_key()
    except ConfigurationError as error:
        return (f"the question would fail: {error.message}",)
    return ()


def exit_code_of(turn: "Turn") -> int:
    """Return the exit code a turn ends with: 0 answered, 3 refused, 5 provider, 6 budget."""
    if turn.exchange.status == "answered":
        return 0
    if turn.exchange.status == "error":
        return EXIT_PROVIDER
    return EXIT_BUDGET if turn.exchange.reason is RefusalReason.BUDGET else EXIT_REFUSED


def print_turn(turn: "Turn", form: Form | None = None, locations: "Mapping[str, Location] | None" = None) -> None:
    """Print a turn for a person; without a `form`, text on a terminal and markdown elsewhere."""
    print_exchange(turn.exchange, form or ("text" if is_terminal() else "markdown"), locations)
    _notes_on(turn)


def _notes_on(turn: "Turn") -> None:
    """Say on stderr what a person should know of a turn besides its answer."""
    if turn.replayed:
        note("you already asked this with the same idempotency key; this is the stored answer")
    for line in forms.sessions.turn_notices(turn):
        note(line)


def print_exchange(exchange: "DialogueExchange", form: Form, locations: "Mapping[str, Location] | None" = None) -> None:
    """Print a stored turn in one of its forms for people."""
    found = locations or {}
    match form:
        case "plain":
            beside = {row_id: printable(at.label_beside_date) for row_id, at in found.items()}
            click.echo(printable_block(forms.answer.render_plain(exchange, day_of, beside)))
        case "markdown":
            places = {row_id: printable(at.label) for row_id, at in found.items()}
            click.echo(printable_block(forms.answer.render_markdown(exchange, places)))
        case _:
            from voice.entrypoints.cli.show.turn import show_exchange

            show_exchange(exchange, console(), locations)


def print_explanation(turn: "Turn") -> None:
    """Print how a turn came about, to stderr."""
    from voice.entrypoints.cli.show.turn import show_explanation

    show_explanation(turn, console(stderr=True))
