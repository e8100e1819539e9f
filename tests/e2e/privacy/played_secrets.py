"""A play in a process of its own: secrets are planted; turns succeed, are refused and crash; all of it is recorded.

    PYTHONPATH=tests python tests/e2e/privacy/played_secrets.py DIRECTORY

leaves in DIRECTORY: `home/` (the store and the index), `log` (every logger at DEBUG), `exceptions` (every exception
that reached the caller, with its causes and traceback), and per scene what went to stdout and stderr (`NAME.out`,
`NAME.err`). Nothing is judged here; `test_nothing_leaks.py` reads what was left.
"""

import logging
import os
import sys
import traceback
from collections.abc import AsyncGenerator, Awaitable, Callable, Generator, Sequence
from contextlib import asynccontextmanager, contextmanager
from dataclasses import replace
from pathlib import Path

import anyio

from fakes.fake_provider import FakeProvider
from fakes.fake_replies import Dialect
from played_turns import FIRED, MOVED, NOW, ON_DISK, ask, given, quoting, scripted, tell, wire
from voice.adapters.embedding.hashed import HashedEmbedder
from voice.adapters.llm.scripted import SCRIPTED_PROFILE, ExtractiveClient, ScriptedClient
from voice.adapters.system.clock_and_ids import FixedClock
from voice.bootstrap import Parts, Services, open_services
from voice.core.context.prompt_templates import PromptTemplate
from voice.core.errors import ProviderRejected
from voice.core.render.answer import render_markdown
from voice.core.retrieval.params import RetrieveRequest
from voice.core.session.values import DialogueExchange, InnerVoiceSession
from voice.core.settings.providers import LlmSettings
from voice.core.settings.values import PrivacySettings, Settings
from voice.entrypoints.cli.main import exit_code
from voice.ports.llm import LlmClient, LlmReply, LlmRequest
from voice.services.graph.editor import Backing
from voice.services.turn.ask import AskRequest

KEY = "sk-KEYCANARY-5f0c1d"
PUBLIC = f"{MOVED} Its nickname is PUBCANARY."
DIARY = "My diary says that PRIVCANARY lies under the kiln in the shed."
PRIVATE = "PRIVCANARY"
DRAFT = "DRAFTCANARY"
QUESTION = "Where behind the house did the kiln in the shed move to in March, askcanary?"
SECRET_QUESTION = "What does the diary say lies under the kiln in the shed, hushcanary?"
LOGGED = "LOGCANARY"
BEHAVIOURS: dict[Dialect, tuple[str, ...]] = {
    "gemini": ("success", "malformed", "refusal", "server-error", "bad-request", "gibberish", "hang"),
    "openai": ("success", "unauthorised", "cut"),
}


@contextmanager
def scene(directory: Path, name: str) -> Generator[None]:
    """Send everything that is written to the process's stdout and stderr to the scene's own files."""
    kept = [os.dup(1), os.dup(2)]
    for number, suffix in ((1, "out"), (2, "err")):
        file = os.open(directory / f"{name}.{suffix}", os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        os.dup2(file, number)
        os.close(file)
    try:
        yield
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        for number, saved in zip((1, 2), kept, strict=True):
            os.dup2(saved, number)
            os.close(saved)


def log_everything(directory: Path) -> None:
    """Write what any logger says, at any level, to one file."""
    logging.basicConfig(filename=directory / "log", level=logging.DEBUG, force=True)
    for name in ("LiteLLM", "openai", "openai._base_client", "httpx", "httpcore", "google_genai", "asyncio", "voice"):
        logging.getLogger(name).setLevel(logging.DEBUG)


def chain(error: BaseException | None) -> Generator[BaseException]:
    """Yield an exception with all its causes and contexts."""
    while error is not None:
        yield error
        error = error.__cause__ or error.__context__


class Play:
    """Where everything is left, and how to go on after a crash."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.home = directory / "home"

    async def survive(self, act: Callable[[], Awaitable[object]]) -> None:
        """Do something and write down the exception it raises."""
        log_everything(self.directory)
        try:
            await act()
        except Exception as error:  # noqa: BLE001 - whatever it is, it is what we are here for
            said = [f"{each!r} {each} {vars(each)}" for each in chain(error)]
            with (self.directory / "exceptions").open("a", encoding="utf-8") as file:
                file.write("\n".join([*said, *traceback.format_exception(error), ""]))

    @asynccontextmanager
    async def memory(self, llm: LlmClient | None, settings: Settings | None = None) -> AsyncGenerator[Services]:
        """Open the memory on disk; None takes the provider that the settings name."""
        parts = Parts(clock=FixedClock(NOW), embedder=HashedEmbedder(128), llm=llm)
        async with open_services(settings or given(store=ON_DISK), self.home, parts) as services:
            yield services

    async def turn(self, llm: LlmClient | None, settings: Settings | None = None, **fields: object) -> None:
        """Open the memory, ask once, show what a program would show, and close it."""

        async def act() -> None:
            async with self.memory(llm, settings) as services:
                turn = await ask(services, **{"question": QUESTION, **fields})  # pyright: ignore[reportArgumentType]
                sys.stdout.write(render_markdown(turn.exchange) + "\n")

        await self.survive(act)


class Crashing(ScriptedClient):
    """Fails with an exception that is none of ours and quotes what it was sent, twice over."""

    def __init__(self) -> None:
        super().__init__([])

    async def complete(self, request: LlmRequest) -> LlmReply:
        cause = ValueError(f"cannot send {request.system} {request.prompt}")
        raise RuntimeError(f"transport failed: {request.prompt} {DRAFT}") from cause


class BrokenSave:
    """A session store whose disk fails in a way nobody foresaw."""

    def __init__(self, services: Services) -> None:
        self.load = services.sessions.load
        self.sessions = services.sessions.sessions
        self.exchanges = services.sessions.exchanges

    async def save(
        self, session: InnerVoiceSession, exchanges: Sequence[DialogueExchange], *, expected: int
    ) -> InnerVoiceSession:
        raise ZeroDivisionError("the disk did something impossible")


async def plant(play: Play) -> None:
    """Put the memory in."""
    async with play.memory(ExtractiveClient()) as services:
        await tell(services, PUBLIC, FIRED)
        await tell(services, DIARY, is_private=True)
        secret = Backing(is_private=True)
        await services.graph_editor.add_entity(
            f"{PRIVATE} the cat", entity_type="animal", description="sits on the kiln", aliases=["Puss"], backing=secret
        )
        await services.graph_editor.add_entity(
            "The kiln", entity_type="tool", description="for bowls", aliases=["Puss"], backing=Backing()
        )
        await services.graph_editor.add_relation(
            "The kiln", "warms", f"{PRIVATE} the cat", description="in the shed", backing=Backing()
        )
        await play.survive(lambda: services.graph_editor.add_observation("x", about=["Puss"], backing=Backing()))


async def drafts(play: Play) -> None:
    """Turns that succeed, and drafts that are refused for every reason or cannot be read."""
    invented = f"The {DRAFT} dragon guards all of the treasure in Erebor and sleeps upon golden coins."
    await play.turn(scripted(quoting(MOVED, FIRED)))
    await play.turn(scripted(quoting(MOVED, FIRED, answer=invented)))
    await play.turn(scripted(wire(invented, ("S1", f"the {DRAFT} dragon"))))
    await play.turn(scripted(wire(invented, (DRAFT, MOVED))))
    await play.turn(scripted(wire(invented)))
    await play.turn(scripted(quoting(MOVED, FIRED, answer=f"{MOVED.replace('moved', 'never moved')} {DRAFT}")))
    await play.turn(scripted(quoting(MOVED, FIRED, answer=MOVED.replace("the shed", f"the {DRAFT} of 1999"))))
    await play.turn(scripted(wire("", refused=True, notes=f"{DRAFT} knows")))
    await play.turn(scripted(f"{DRAFT}, not JSON", '{"answer": "' + DRAFT))
    await play.turn(scripted('{"answer": 7, "' + DRAFT + '": 1}', '{"sources": "' + DRAFT + '", "answer": "x"}'))


async def crashes(play: Play) -> None:
    """A provider whose error quotes the prompt, a client that breaks its contract, a store that breaks its own."""
    await play.turn(ScriptedClient(lambda request: ProviderRejected(f"400 bad request: {request.prompt}")))
    await play.turn(Crashing())

    async def unsaved() -> None:
        async with play.memory(scripted(quoting(MOVED, FIRED))) as services:
            asks = replace(services.makers.ask(), sessions=BrokenSave(services))
            await asks(AskRequest(question=QUESTION, create=True))

    async def no_template() -> None:
        async with play.memory(scripted(quoting(MOVED, FIRED))) as services:
            asks = services.makers.ask()
            asks = replace(asks, prompts=tuple(map(_unfillable, asks.prompts)))
            await asks(AskRequest(question=QUESTION, create=True))

    await play.survive(unsaved)
    await play.survive(no_template)
    await play.turn(scripted(quoting(MOVED)), question="")
    await play.turn(scripted(quoting(MOVED)), when=f"the day of {DRAFT}")


def _unfillable(template: PromptTemplate) -> PromptTemplate:
    return replace(template, blocks=tuple((name, f"{text} $nobody") for name, text in template.blocks))


async def wires(play: Play) -> None:
    """Real clients over HTTP, and a provider that fails in its ways and repeats what it was sent."""
    with FakeProvider() as fake:
        for provider, behaviours in BEHAVIOURS.items():
            for behaviour in behaviours:
                llm = LlmSettings(
                    provider=provider,
                    model=f"fake-{behaviour}",
                    api_key=KEY,
                    api_base=fake.api_base(provider),
                    deadline_s=30.0 if behaviour == "success" else 0.8,
                )
                await play.turn(None, given(store=ON_DISK, llm=llm))
        assert any(KEY in str(received.headers) for received in fake.received), "the key was sent to its vendor"


async def private(play: Play) -> None:
    """Private rows: let in for one turn, sent nowhere without consent, and out of everything else."""
    await play.turn(scripted(quoting(DIARY, MOVED)), question=SECRET_QUESTION, include_private=True)
    remote = replace(SCRIPTED_PROFILE, provider="vendor", remote=True)
    asked = {"question": SECRET_QUESTION, "include_private": True}
    await play.turn(scripted(quoting(DIARY, MOVED), profile=remote), None, **asked)


async def public(play: Play) -> None:
    """What a person sees who does not ask for private rows."""
    await play.turn(ExtractiveClient(), question="What lies under the kiln in the shed?")
    async with play.memory(ExtractiveClient()) as services:
        found = await services.find(RetrieveRequest(query=f"{PRIVATE} diary kiln", floor=0.0, top_k=50))
        sys.stdout.write(f"{found}\n{await services.report(since=None, by='session')}\n")


async def logged(play: Play) -> None:
    """The program's own log at its most talkative, on stderr, for what is found and for a turn."""
    talkative = given(store=ON_DISK, privacy=PrivacySettings(log_level="debug"))
    async with play.memory(ExtractiveClient(), talkative) as services:
        await services.find(RetrieveRequest(query=QUESTION, floor=0.0, top_k=50))
        await services.find(RetrieveRequest(query=SECRET_QUESTION, floor=0.0, include_private=True))
    await play.turn(scripted(quoting(MOVED, FIRED)), talkative)


async def hushed(play: Play) -> None:
    """The same where nothing may be logged."""
    hushed = given(store=ON_DISK, privacy=PrivacySettings(log_level="debug", no_log=True))
    async with play.memory(ExtractiveClient(), hushed) as services:
        await services.find(RetrieveRequest(query=QUESTION, floor=0.0, top_k=50))


async def asked_for(play: Play) -> None:
    """What a person sees who asks for private rows by name."""
    async with play.memory(ExtractiveClient()) as services:
        found = await services.find(RetrieveRequest(query=f"{PRIVATE} diary", floor=0.0, include_private=True))
        sys.stdout.write(f"{found.snippets}\n")


COMMANDS = (
    ("ask", "Where is the kiln?"),
    ("ask", "--json", "--new", "again", "What lies under the kiln in the shed?"),
    ("ask", "-m", "gemini/fake-malformed", QUESTION),
    ("ask", "-m", "gemini/fake-server-error", QUESTION),
    ("ask", "-m", "openai/fake-unauthorised", QUESTION),
    ("ask", "--when", "the day of the purple moon", QUESTION),
    ("ask", "-s", "nowhere", QUESTION),
    ("retrieve", "--explain", "--json", f"{PRIVATE} diary kiln"),
    ("kg", "show", "The kiln"),
    ("report",),
    ("doctor",),
    ("config", "--json"),
)


def commands(play: Play) -> None:
    """The command line, on the same memory, with a failing provider and the key in the environment."""
    with FakeProvider() as fake:
        os.environ.update(
            SURR_ENABLE_INNER_VOICE="1",
            SURR_EMBED_PROVIDER="hash",
            SURR_EMBED_DIM="128",
            SURR_INNER_VOICE_PROVIDER="extractive",
            SURR_INNER_VOICE_API_KEY=KEY,
            SURR_INNER_VOICE_API_BASE=fake.api_base("gemini"),
            SURR_INNER_VOICE_DEADLINE="4",
            VOICE_HOME=str(play.home),
            LITELLM_LOG="DEBUG",
        )
        for number, command in enumerate(COMMANDS):
            log_everything(play.directory)
            with scene(play.directory, f"command-{number:02}"):
                code = exit_code(list(command))
            (play.directory / f"command-{number:02}.code").write_text(f"{code}", encoding="ascii")


def main(directory: Path) -> None:
    """Play every scene."""
    play = Play(directory)
    log_everything(directory)
    logging.getLogger("httpcore").debug(LOGGED)
    with scene(directory, "control"):
        sys.stdout.write(LOGGED)
        sys.stderr.write(LOGGED)
    for act in (plant, drafts, crashes, wires, private, public, logged, hushed, asked_for):
        with scene(directory, act.__name__):
            anyio.run(act, play)
    commands(play)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
