"""What the commands of a conversation do.

Law: what `voice` does elsewhere by a command is done by that command, with what belongs to this conversation filled in.
A change is told in one line; where it cannot be done, what to type is said. Nothing that is stored is taken away but
by `/forget`, which asks first.

Source: rulings D21, H, I9; docs/howto/ask.md.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Final

import click

from voice.core.grounding.values import Stance
from voice.core.records import Observation, RowStatus, Thought
from voice.core.report.values import money
from voice.core.text.display import context_of, counted, printable, printable_block
from voice.entrypoints.cli.ask import print_explanation
from voice.entrypoints.cli.chat.commands import BY_NAME, WITH_VALUE, help_lines, split_argument
from voice.entrypoints.cli.terminal import forms
from voice.entrypoints.cli.terminal.input import choose_one
from voice.entrypoints.cli.terminal.printing import day_of, marks
from voice.entrypoints.cli.terminal.runtime import run

if TYPE_CHECKING:
    from voice.bootstrap import Services
    from voice.core.grounding.values import SourceCitation
    from voice.core.interchange.origin import Location
    from voice.core.records import Row
    from voice.core.session.values import InnerVoiceSession
    from voice.entrypoints.cli.chat.conversation import Conversation

Action = Callable[["Conversation", str], None]
_LISTED: Final = "10"  # shown if no number is named
_MOST_LISTED: Final = 1_000
_FLAGS: Final = ("--yes", "--dry-run")  # options that are easily typed among the words
_AROUND_CHARS: Final = 1_500  # characters shown on either side of a citation
_IN_SENTENCES: Final = ("o:", "t:")  # ids of rows of which one sentence can be forgotten


def _sessions(talk: "Conversation", argument: str) -> None:
    number = argument or _LISTED
    if not number.isdecimal() or not 0 < int(number[:9]) <= _MOST_LISTED:
        raise click.UsageError(f"give a number from 1 to {_MOST_LISTED:,}, such as /sessions {_LISTED}")
    talk.voice("sessions", "list", "-n", number, *talk.private)
    tell_current_session(talk)


def tell_current_session(talk: "Conversation") -> None:
    """Say which conversation the next question continues, where there is one."""
    session = talk.session_now()
    if session is not None:
        _say(f"you are in {_label(session)}, {counted(session.total_exchanges, 'turn')}")


def _switch(talk: "Conversation", argument: str) -> None:
    name = _unquoted(argument) or argument

    async def found(services: "Services") -> "tuple[InnerVoiceSession, bool]":
        named = await services.life.named(name, include_private=talk.request.include_private)
        is_closed = named.status == "closed"
        return (await services.life.change(named.id, status="open") if is_closed else named), is_closed

    session, was_closed = run(found)
    talk.enter(session.id)
    opened = "; it was closed and is open again" if was_closed else ""
    _say(f"you are in {_label(session)}, {counted(session.total_exchanges, 'turn')}{opened}")


def _new(talk: "Conversation", argument: str) -> None:
    talk.begin(argument)
    _say(f"your next question starts a new conversation: {printable(argument)}{_stance_note(talk)}")


def _fork(talk: "Conversation", argument: str) -> None:
    word, rest, is_quoted = split_argument(argument)
    is_turn = word.isdecimal() and not is_quoted  # /fork "3" names a topic, /fork 3 a turn
    at, topic = (word, rest) if is_turn else (None, argument)
    left = talk.session()
    made = run(lambda services: services.life.fork(left.id, at=at, topic=_unquoted(topic)))
    talk.enter(made.id)
    _say(f"you are in {_label(made)}, which shares {counted(made.own_from, 'turn')} with {left.id}")


def _unquoted(topic: str) -> str | None:
    """Return a topic without the quotation marks around it; None where there is none."""
    words, rest, is_quoted = split_argument(topic)
    return (words if is_quoted and not rest else topic) or None


def _stance(talk: "Conversation", argument: str) -> None:
    known = {stance.value: stance for stance in Stance}
    choices = "|".join(known)  # as usage shows choices
    if not argument:
        _say(f"the stance is {talk.request.stance.value}; change it with /stance {choices}")
    elif argument.casefold() not in known:
        wanted = printable(argument)
        raise click.UsageError(
            f"unknown stance {wanted!r}; the stance stays {talk.request.stance.value}. Choose one: /stance {choices}"
        )
    else:
        talk.request = replace(talk.request, stance=known[argument.casefold()])
        _say(f"the stance is {talk.request.stance.value} from now on")


def _stance_note(talk: "Conversation") -> str:
    """Return that the stance goes on, where it is not the one that a conversation begins with by itself."""
    usual, stance = Stance.SYNTHESIZE, talk.request.stance
    return "" if stance is usual else f"; the stance stays {stance.value} (for answers, type /stance {usual.value})"


def _open(talk: "Conversation", argument: str) -> None:
    source = talk.source(argument)
    row, text, at = run(lambda services: _source_text(services, source))
    if row is None:
        raise click.UsageError(f"{source.source_id} no longer exists; it was removed or forgotten")
    if row.is_private and not talk.request.include_private:
        raise click.UsageError(f"{source.source_id} is private; `voice chat --private` shows it")
    where = "" if at is None else f"  {printable(at.label_beside_date)}"
    click.echo(f"{day_of(source.created_at)}{where}  {source.source_id}")
    if at is not None and at.uri:
        click.echo(printable(at.uri))
    click.echo(f"\n{printable_block(_with_span_marked(text, source.span))}")


async def _source_text(services: "Services", source: "SourceCitation") -> "tuple[Row | None, str, Location | None]":
    row = (await services.store.fetch([source.source_id])).get(source.source_id)
    if row is None or row.status is RowStatus.REDACTED:  # forgotten or redacted since it was cited
        return None, "", None
    text = row.content if isinstance(row, Thought) else source.span
    if isinstance(row, Observation) and row.provenance:  # where an observation was written
        thought_id = row.provenance[0].thought_id
        written = (await services.store.fetch([thought_id])).get(thought_id)
        if isinstance(written, Thought) and written.status is RowStatus.ACTIVE and source.span in written.content:
            text = written.content
    return row, text, (await services.source_locations.cited([source])).get(source.source_id)


def _with_span_marked(text: str, span: str) -> str:
    start = text.find(span)
    end = start + len(span)
    before, behind = context_of(text, start, end, _AROUND_CHARS)
    return f"{before}«{text[start:end]}»{behind}"


def _remember(talk: "Conversation", argument: str) -> None:
    if argument == "-":
        raise click.UsageError("type the note after /remember; `voice remember -` reads one from a pipe")
    options, words = _outer_options("remember", argument)
    if not words:
        raise click.UsageError(f"{argument} is not a note; type /remember TEXT. Nothing was stored")
    if "--private" in words.split():  # it would be stored as a word, and the note be public
        raise click.UsageError("--private is among your words; put it first: /remember --private …")
    private = ("--private",) if "--private" in options else ()
    # "--": the words may begin with a dash.
    talk.voice("remember", *private, "--", _without_yes(f"--yes {words}" if "--yes" in options else words))


def _correct(talk: "Conversation", argument: str) -> None:
    options, argument = _leading_options("correct", argument)
    old, new, is_quoted = split_argument(argument)
    more, new = _split_options("correct", new)
    options, new = (*options, *more), _unquoted(new) or ""
    if not old:
        raise click.UsageError(f"/correct is incomplete; type {BY_NAME['correct'].usage}")
    if not new:
        said = old if old.isdecimal() or old[1:2] == ":" else f'"{printable(old)}"'
        raise click.UsageError(f"/correct also needs the new words: /correct {said} NEW WORDS")
    talk.voice("correct", *talk.private, *_correction_arguments(talk, old, options, is_quoted=is_quoted), new)
    talk.turn = None  # /why would show words that are gone


def _correction_arguments(
    talk: "Conversation", old: str, options: tuple[str, ...], *, is_quoted: bool
) -> tuple[str, ...]:
    """Return what names the words that are wrong: each of these is shown before and after, and confirmed."""
    if is_quoted or not (old.isdecimal() or old[1:2] == ":"):  # words, even if they look like a number
        return (*options, "--", old)
    row_id = talk.source(old).source_id if old.isdecimal() else old
    if old.isdecimal() and "--sentence" not in options and row_id.startswith(_IN_SENTENCES):
        row_id, sentence = _cited_sentence(talk, old)
        return ("--in", row_id, *options, "--", sentence)
    return ("--ask", *options, "--", row_id)  # shown before and after, as words are


def _cited_sentence(talk: "Conversation", number: str) -> tuple[str, str]:
    """Return the sentence that the last turn quotes of a source, behind its row; of several, the chosen one."""
    from voice.core.graph.thoughts.sentence_edits import sentences_of
    from voice.core.text.markdown import outline_of

    texts, titles = dict[str, str](), dict[str, str]()  # row ids, by sentence
    for each in talk.cited(number):
        outline = outline_of(each.span)
        for start, end in sentences_of(each.span):
            # A heading is cited with its text, and is seldom what is wrong.
            is_title = all(outline.lines[line].kind == "heading" for line in outline.at(start, end))
            (titles if is_title else texts).setdefault(each.span[start:end], each.source_id)
    kept = texts or titles
    sentence, *more = kept
    if more:
        several = f"source {number} has {len(kept):,} quoted sentences"
        sentence = list(kept)[choose_one(list(kept), f"{several}: type words of the right one instead of {number}")]
    return kept[sentence], sentence


def _forget(talk: "Conversation", argument: str) -> None:
    options, argument = _split_options("forget", argument)
    words, rest, is_quoted = split_argument(argument)
    is_alone = bool(words) and not rest and not is_quoted
    what: tuple[str, ...] = ("--sentence", words if is_quoted and not rest else argument)
    if is_alone and words.isdecimal():
        row_id, sentence = talk.source(words).source_id, tuple[str, ...]()
        if row_id.startswith(_IN_SENTENCES):
            row_id, said = _cited_sentence(talk, words)
            sentence = ("--sentence", said)
        what = (*sentence, "--id", row_id)
    elif is_alone and words[1:2] == ":":  # "t:01…"
        what = ("--id", words)
    elif not argument and "--id" in options:  # --id names it
        what = ()
    elif not argument:
        raise click.UsageError(f"/forget is incomplete; type {BY_NAME['forget'].usage}")
    talk.voice("forget", *talk.private, *options, *what)
    talk.turn = None


def _split_options(command: str, words: str) -> tuple[tuple[str, ...], str]:
    """Return the options before and behind words, and the words without them."""
    options, words = _outer_options(command, words)
    # "forget the key --yes please": words, or an option?
    amid = next((each for each in words.split() if each in _FLAGS), None)
    if amid is not None:
        raise click.UsageError(f"{amid} is among your words; put it first: /{command} {amid} …")
    return options, words


def _outer_options(command: str, words: str) -> tuple[tuple[str, ...], str]:
    options, words = _leading_options(command, words)
    # Flags alone may stand at the end: a value could be a word of the text.
    flags = frozenset(BY_NAME[command].options).difference(WITH_VALUE)
    while words.split() and words.split()[-1] in flags:  # several may follow one another
        options = (*options, words.split()[-1])
        words = words.rstrip().removesuffix(options[-1]).rstrip()
    return options, words


def _without_yes(words: str) -> str:
    """Return words that are stored unasked without `--yes` before or behind them, and say what becomes of it."""
    kept = words.removeprefix("--yes ").removesuffix(" --yes").strip()
    if kept != words:
        _say("ignored --yes: this command does not ask you to confirm")
    elif " --yes " in words:
        _say("--yes is among your words, so voice stores it with them")
    return kept


def _leading_options(command: str, argument: str) -> tuple[tuple[str, ...], str]:
    word, _, rest = argument.partition(" ")
    if word not in BY_NAME[command].options:
        return (), argument
    first: tuple[str, ...] = (word,)
    if word in WITH_VALUE:
        value, _, rest = rest.strip().partition(" ")
        first = (word, value)
    others, rest = _leading_options(command, rest.strip())
    return (*first, *others), rest


def _pin(talk: "Conversation", argument: str) -> None:
    target, reason, _ = split_argument(argument.removeprefix("--yes "))
    reason = _without_yes(reason)  # pinning asks nothing
    if not reason:
        raise click.UsageError(f"say why it matters: /pin {target} REASON")
    row_id = talk.row(target) if target.isdecimal() else target
    talk.voice("pins", "add", "--reason", reason, *talk.private, "--", row_id)


def _why(talk: "Conversation", _: str) -> None:
    from voice.core.grounding.answer_text import opening_of

    exchange = talk.last()
    signs = marks()
    for each in forms.answer.marked_sentences(exchange):
        footnotes = "".join(f" [{number}]" for number in each.footnotes)
        click.echo(f"{signs.text(each.sign)} {printable(each.shown)}{footnotes}")
        for reason in (each.proof, *each.reasons):
            click.echo(f"    {printable(reason)}")
    if exchange.refused:
        why = f" (reason: {exchange.reason.value})" if exchange.reason else ""
        click.echo(f"{opening_of(exchange.reason)}{why}")
    for line in (*(forms.answer.notes_of(exchange) if exchange.refused else ()), *forms.answer.lines_beside(exchange)):
        click.echo(f"    {printable(line)}")
    if talk.turn is not None:  # of an answer from before this start, only what was stored
        print_explanation(talk.turn)


def _cost(talk: "Conversation", _: str) -> None:
    session, last = talk.session(), talk.last()
    known, unknown = session.total_cost.known, session.total_cost.unknown_count
    more = f", and {counted(unknown, 'turn')} of unknown cost" if unknown else ""
    # A fork does not pay for the turns that it shares.
    turns = counted(session.total_exchanges - session.own_from, "turn")
    click.echo(f"this conversation: {turns}, {counted(session.total_tokens, 'token')}, {money(known)}{more}")
    tokens = sum(filter(None, (last.prompt_tokens, last.completion_tokens)))
    cost = "cost unknown" if last.cost_estimate is None else money(last.cost_estimate)
    click.echo(f"the last answer: {counted(tokens, 'token')}, {cost}, {printable(f'{last.provider}/{last.model}')}")


def _undo(talk: "Conversation", _: str) -> None:
    left, last = talk.session(), talk.last()
    if last.index == 0:  # before the first question there is nothing to fork from
        talk.begin(left.thread_topic)
    else:
        made = run(lambda services: services.life.fork(left.id, at=last.index))
        talk.enter(made.id)  # the fork shares the turns before it
    question = f"“{printable(last.my_query)}”" if last.my_query else "the last question"
    _say(f"you are back before {question}; the conversation with that question is stored as {left.id}")


def _help(_: "Conversation", argument: str) -> None:
    lines = list(help_lines(argument))
    if not lines:
        raise click.UsageError(f"unknown command {printable(argument)}; /help lists the commands")
    for line in lines:
        _say(line)
    if not argument:
        _say("Everything else is a question. A backslash at the end of a line, or Alt-Enter, starts another line.")
        _say("The arrow keys bring back earlier questions, Tab completes, and Ctrl-C stops an answer.")


def _quit(_place: "Conversation", _: str) -> None:
    raise ConversationEnded


class ConversationEnded(Exception):
    """The person ends the conversation."""


ACTIONS: Final[Mapping[str, Action]] = {
    "sessions": _sessions,
    "switch": _switch,
    "new": _new,
    "fork": _fork,
    "stance": _stance,
    "open": _open,
    "remember": _remember,
    "correct": _correct,
    "forget": _forget,
    "pin": _pin,
    "why": _why,
    "cost": _cost,
    "undo": _undo,
    "help": _help,
    "quit": _quit,
}
"""What each command of `chat_commands.COMMANDS` does."""
CHANGING_HISTORY: Final = frozenset({"correct", "forget"})
"""After these, words may be gone that were asked before."""


def _label(session: "InnerVoiceSession") -> str:
    return f"“{printable(session.thread_topic)}” ({session.id})"


def _say(told: str) -> None:
    click.echo(told, err=True)
