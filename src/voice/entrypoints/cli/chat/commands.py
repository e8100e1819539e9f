"""The commands of `voice chat`, how a line is read, and how one that was begun goes on.

Law: one table says what there is; help, completion and what is done follow it. Nothing here reads or prints. A line
that begins with `/` is a command and never a question, so that a command that is mistyped asks nobody.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Final, Literal

Vocabulary = Literal["", "stances", "sessions", "commands"]
"""What the argument of a command is completed with."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    """One command of a conversation."""

    name: str
    argument: str = ""
    """As help shows it: in brackets it may be left out, and a command without one takes none."""
    help: str
    vocabulary: Vocabulary = ""
    options: tuple[str, ...] = ()

    @property
    def usage(self) -> str:
        """How it is typed."""
        return f"/{self.name} {self.argument}".rstrip()


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """A line that is asked."""

    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CommandCall:
    """A line that calls a command."""

    command: Command
    argument: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class InvalidCommand:
    """A line that calls no command, or one in a wrong way."""

    told: str
    """What is wrong, and what to type."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CompletionWords:
    """What completion knows of the memory."""

    sessions: tuple[tuple[str, str], ...] = ()
    """(id, topic), the most recent first."""
    names: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Completion:
    """One way in which a line may go on."""

    text: str
    back: int
    """How many characters before the end of the line it takes the place of."""
    beside: str = ""


COMMANDS: Final = (
    Command(name="sessions", argument="[NUMBER]", help="List your latest conversations."),
    Command(
        name="switch",
        argument="SESSION",
        help="Continue another conversation: its id, the start of its id, or its topic.",
        vocabulary="sessions",
    ),
    Command(name="new", argument="TOPIC", help="Start a new conversation with your next question."),
    Command(
        name="fork",
        argument="[TURN] [TOPIC]",
        help="Continue from a turn in a new conversation; this one stays as it is.",
    ),
    Command(
        name="stance",
        argument="[synthesize|challenge|question]",
        help="Show or change the stance: answer, look for evidence against a claim, or ask you questions.",
        vocabulary="stances",
    ),
    Command(name="open", argument="NUMBER", help="Show a source, or a closest passage, where it stands in its note."),
    Command(
        name="remember",
        argument="TEXT",
        help="Store a note; with --private, a private one.",
        options=("--yes", "--private"),
    ),
    Command(
        name="correct",
        argument='NUMBER|ID|"OLD WORDS" NEW WORDS',
        help="Replace what is wrong: a source, a closest passage, an entry, or words in quotation marks.",
        options=("--yes", "--dry-run", "--in", "--sentence"),
    ),
    Command(
        name="forget",
        argument="NUMBER|ID|WORDS",
        help="Delete a source, a closest passage, an entry, or the sentence with these words; you confirm it first.",
        options=("--yes", "--dry-run", "--id"),
    ),
    Command(
        name="pin",
        argument="NUMBER|ID REASON",
        help="Pin a source or an entry: agents and models always see it first. Say why.",
        options=("--yes",),
    ),
    Command(name="why", help="Show what proves each sentence of the last answer, and how voice found it."),
    Command(name="cost", help="Show what this conversation and its last answer cost."),
    Command(name="undo", help="Go back to before the last question; the conversation with it stays, under its id."),
    Command(name="help", argument="[COMMAND]", help="List the commands, or explain one.", vocabulary="commands"),
    Command(name="quit", help="End the conversation; so do /exit and Ctrl-D."),
)
BY_NAME: Final = {command.name: command for command in COMMANDS}  # by what is typed behind the slash
_ALSO: Final = {"exit": "quit"}
# By a command of a shell that messages name, the one that does the same here.
_DONE_HERE: Final = {"`voice sessions list`": "/sessions", "`voice remember`": "/remember"}
WITH_VALUE: Final = ("--in", "--sentence", "--id")
"""Options that take the word behind them."""
_STANCES: Final = ("synthesize", "challenge", "question")
_QUOTES: Final = {'"': '"', "'": "'", "“": "”", "«": "»", "„": "“"}
_LEAST_OF_A_NAME: Final = 2  # characters typed before a name is offered
_WORDS_OF_A_NAME: Final = 3  # words of a name, at most


def read_line(line: str) -> Question | CommandCall | InvalidCommand | None:
    """Return what a line says; None: nothing, and nothing is done."""
    said = line.strip()
    if not said.startswith("/"):
        return Question(text=said) if said else None
    name, _, argument = said[1:].partition(" ")  # "/fork 3 the kiln": only the first blank counts
    name, argument = name.casefold(), argument.strip()
    command = BY_NAME.get(_ALSO.get(name, name))
    if command is None:
        return InvalidCommand(told=_unknown(name))
    if command.argument and not command.argument.startswith("[") and not argument:
        return InvalidCommand(told=f"/{command.name} is incomplete; type {command.usage}")
    if argument and not command.argument:
        return InvalidCommand(told=f"/{command.name} takes no argument; type {command.usage} alone")
    if unknown := _unknown_option(command, argument):
        return InvalidCommand(told=f"/{command.name} has no option {unknown}; type {command.usage}")
    return CommandCall(command=command, argument=argument)


def _unknown_option(command: Command, argument: str) -> str | None:
    words = iter(argument.split())
    for word in words:
        if not (word.startswith("--") and word[2:3].isalnum()):  # "--" and a dash in a word are the text's own
            return None
        if word not in command.options:
            return word
        if word in WITH_VALUE:
            next(words, None)
    return None


def _unknown(name: str) -> str:
    close = get_close_matches(name, BY_NAME, n=1)
    meant = f"did you mean /{close[0]}? " if close else ""
    return f"unknown command /{name}; {meant}/help lists the commands"


def with_chat_commands(message: str) -> str:
    """Return a message with the commands of a conversation in the place of those of a shell that do the same."""
    for elsewhere, here in _DONE_HERE.items():  # messages are written for a shell
        message = message.replace(elsewhere, here)
    return message


def split_argument(text: str) -> tuple[str, str, bool]:
    """Return the first word or quotation of an argument, what follows, and whether it was quoted.

    An apostrophe quotes only where the one that closes it ends a word; a mark that is not closed does not.
    """
    said = text.strip()
    closing = _QUOTES.get(said[:1])
    end = said.find(closing, 1) if closing else -1
    while closing == "'" and said[end + 1 : end + 2].strip() and end > 0:  # the apostrophe of a word
        end = said.find(closing, end + 1)
    if end > 0:
        return said[1:end].strip(), said[end + 1 :].strip(), True
    word, _, rest = said.partition(" ")
    return word, rest.strip(), False


def help_lines(name: str = "") -> Iterator[str]:
    """Yield what each command does, or the one that is named; nothing where there is none of that name."""
    wanted = name.removeprefix("/").casefold()
    for command in COMMANDS:
        if not wanted or command.name == _ALSO.get(wanted, wanted):
            yield from (command.usage, f"    {command.help}")


def completions(line: str, words: CompletionWords) -> Iterator[Completion]:
    """Yield how the line before the cursor may go on: a command, its argument, or a name in a question."""
    name, space, argument = line.lstrip()[1:].partition(" ")  # "/sw" has no blank yet
    if not line.lstrip().startswith("/"):
        yield from _names(line, words.names)
    elif not space:
        begun = (each for each in COMMANDS if each.name.startswith(name.casefold()))
        yield from (Completion(text=f"/{each.name}", back=len(name) + 1, beside=each.help) for each in begun)
    else:
        command = BY_NAME.get(name.casefold())
        match "" if command is None else command.vocabulary:
            case "stances":
                yield from _begun(argument, ((each, "") for each in _STANCES))
            case "commands":
                yield from _begun(argument, ((each.name, each.help) for each in COMMANDS))
            case "sessions":
                yield from _sessions(argument, words.sessions)
            case _:
                yield from _names(argument, words.names)


def _begun(said: str, known: Iterable[tuple[str, str]]) -> Iterator[Completion]:
    for text, beside in known:
        if text.casefold().startswith(said.casefold()):
            yield Completion(text=text, back=len(said), beside=beside)  # in the place of what was typed of it


def _sessions(said: str, sessions: tuple[tuple[str, str], ...]) -> Iterator[Completion]:
    """Yield conversations by their topic, and by their id where several have one topic or an id was begun."""
    topics = [topic for _, topic in sessions]  # several conversations may have one topic
    for session_id, topic in sessions:
        is_id = said.startswith("s:")
        fits = session_id.startswith(said) if is_id else topic.casefold().startswith(said.casefold())
        by_topic = not is_id and topics.count(topic) == 1  # a topic that is not unique would name the wrong one
        text, beside = (topic, session_id) if by_topic else (session_id, topic)
        if fits:
            yield Completion(text=text, back=len(said), beside=beside)


def _names(said: str, names: tuple[str, ...]) -> Iterator[Completion]:
    """Yield the names that the last words of a text begin, the longest beginning first: "Anna Lu" before "Lu"."""
    starts = [0, *(at + 1 for at, char in enumerate(said) if char == " ")][-_WORDS_OF_A_NAME:]
    begun = [said[start:] for start in starts]
    for words in (each for each in begun if len(each.strip()) >= _LEAST_OF_A_NAME and each[0] != " "):
        yield from _begun(words, ((name, "") for name in names))
