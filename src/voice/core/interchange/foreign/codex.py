"""A rollout of Codex (`~/.codex/sessions/…/rollout-*.jsonl`) → lines.

Law: a rollout says what was said twice, as events and as items of the model's input; one kind is read, the events where
there are any, because these hold what the person typed and nothing that the program put before it. Tools, reasoning and
what the program told the model are left out and counted; turns that were rolled back, too. Of a task that another agent
gave, nothing is the person's, and nothing comes in.

Source: docs/import.md.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from voice.core.interchange.foreign.chatgpt import MACHINERY
from voice.core.interchange.foreign.loose import as_instant, as_list, as_map, as_text, stored_text
from voice.core.interchange.foreign.talk import Turn, turn_line
from voice.core.interchange.lines import FileLine, LeftOut

TAKEN_BACK: Final = "messages taken back in the session"
_SAID: Final[Mapping[str, bool]] = {"user_message": False, "agent_message": True}
"""Events that say what was said, and whether the model said it."""
_ROLES: Final[Mapping[str, bool]] = {"user": False, "assistant": True}
_TOLD_BY_PROGRAM: Final = ("<", "# AGENTS.md")
"""How begins what the program puts into the person's mouth: instructions and the environment, in tags."""

Placed = tuple[str, Mapping[str, object]]
"""An entry of a session's file, behind its place."""


class _Said(NamedTuple):
    where: str
    text: str
    stamp: object
    by_assistant: bool


@dataclass(slots=True)
class _Session:
    """What of a rollout is kept while it is read: the words alone."""

    name: str = ""
    is_side_task: bool = False
    events: list[_Said] = field(default_factory=list[_Said])
    items: list[_Said] = field(default_factory=list[_Said])
    left_out: list[LeftOut] = field(default_factory=list[LeftOut])

    def add(self, where: str, entry: Mapping[str, object]) -> None:
        kind, payload = entry.get("type"), as_map(entry.get("payload"))
        if kind == "session_meta" and not self.name:
            self.name = as_text(payload.get("id"))
            self.is_side_task = isinstance(payload.get("source"), dict)
        elif kind == "event_msg":
            self._add_event(where, payload, entry.get("timestamp"))
        elif kind == "response_item":
            self._add_item(where, payload, entry.get("timestamp"))

    def _add_event(self, where: str, payload: Mapping[str, object], stamp: object) -> None:
        kind = as_text(payload.get("type"))
        if kind == "thread_rolled_back":
            self._roll_back(payload.get("num_turns"))
        if kind not in _SAID:
            return
        text = as_text(payload.get("message"))
        if text.strip() and payload.get("kind") in (None, "plain"):
            self.events.append(_Said(where, text, stamp, _SAID[kind]))
        else:
            self.left_out.append(LeftOut(where=where, reason=MACHINERY))

    def _add_item(self, where: str, payload: Mapping[str, object], stamp: object) -> None:
        role = as_text(payload.get("role"))
        texts = [as_text(as_map(part).get("text")) for part in as_list(payload.get("content"))]
        text = stored_text("\n\n".join(each for each in texts if each.strip()))
        is_typed = role == "assistant" or not text.startswith(_TOLD_BY_PROGRAM)
        if payload.get("type") == "message" and role in _ROLES and text and is_typed:
            self.items.append(_Said(where, text, stamp, _ROLES[role]))
        else:
            self.left_out.append(LeftOut(where=where, reason=MACHINERY))

    def _roll_back(self, turns: object) -> None:
        """Take the last turns back, of both kinds: what the person typed, with all that followed."""
        count = turns if isinstance(turns, int) else 0
        gone = _taken_back(self.events, count)
        self.left_out += [LeftOut(where=each.where, reason=TAKEN_BACK) for each in gone]
        _taken_back(self.items, count)

    def lines(self) -> Iterator[FileLine]:
        said = self.events or self.items
        if self.is_side_task:
            yield from (LeftOut(where=each.where, reason=MACHINERY) for each in said)
        else:
            yield from (self._line(each) for each in said)
        yield from self.left_out

    def _line(self, said: _Said) -> FileLine:
        turn = Turn(
            ref=f"codex/{self.name}/{as_text(said.stamp) or said.where}",
            thread=f"codex/{self.name}",
            text=said.text,
            at=as_instant(said.stamp),
            by_assistant=said.by_assistant,
        )
        return turn_line(turn, said.where)


def codex_lines(entries: Iterable[Placed]) -> Iterator[FileLine]:
    """Yield what was said in a rollout, in order, and then what is left out of it."""
    session = _Session()
    for where, entry in entries:
        session.add(where, entry)
    yield from session.lines()


def _taken_back(said: list[_Said], turns: int) -> list[_Said]:
    """Cut the last turns off, each from what the person typed on, and return what they hold."""
    gone: list[_Said] = []
    while said and turns > 0:
        gone.append(said.pop())
        turns -= not gone[-1].by_assistant
    return gone
