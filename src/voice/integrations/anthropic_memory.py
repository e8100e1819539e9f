"""The files of Anthropic's memory tool, kept beside a memory.

    async with Voice.open() as voice:
        runner = client.beta.messages.tool_runner(tools=[VoiceMemoryTool(voice)], …)

Law: what Claude writes into its files is a model's words: no note, no evidence, in no prompt of ours. A command is one
transaction. Forgetting a note takes the lines out of files that quote it. Files lie under `/memories`; a folder is
there while a file is in it. What is said to the model is said in the words of the SDK's own backend.

Source: `anthropic.lib.tools.BetaAsyncAbstractMemoryTool`.
"""

import json
import posixpath
from collections.abc import Callable
from importlib import import_module
from typing import Any, Final

from anyio import to_thread

from voice.adapters.extras import require_installed
from voice.adapters.system.agent_records import Records, StartsWith
from voice.core.session.agent_records import RecordKind, json_bytes
from voice.entrypoints.library import Voice

require_installed("anthropic", "voice.integrations.anthropic_memory")  # names the extra, before an import fails
_tools: Any = import_module("anthropic.lib.tools")  # an extra: its types are not at hand
_ROOT: Final = "/memories"
_DEEPEST: Final = 2  # levels that a folder shows
_MISSING: Final = "The path {} does not exist. Please provide a valid path."  # in the SDK's words


class VoiceMemoryTool(_tools.BetaAsyncAbstractMemoryTool):
    """Anthropic's memory tool for the asynchronous client."""

    def __init__(self, voice: Voice, *, owner: str = "claude", cache_control: Any = None) -> None:
        """Keep files beside an open memory; agents with different owners have different files."""
        _tools.BetaAsyncAbstractMemoryTool.__init__(self, cache_control=cache_control)
        self._voice, self._owner = voice, owner

    async def view(self, command: Any) -> str:
        """Show a file with the numbers of its lines, or what is in a folder, two levels deep."""
        return await self._run(self._view, command)

    async def create(self, command: Any) -> str:
        """Write a file that is not there yet."""
        return await self._run(self._create, command)

    async def str_replace(self, command: Any) -> str:
        """Put one text in the place of another that stands once in a file."""
        return await self._run(self._replace, command)

    async def insert(self, command: Any) -> str:
        """Insert a text behind a line."""
        return await self._run(self._insert, command)

    async def delete(self, command: Any) -> str:
        """Remove a file, or a folder with all that is in it."""
        return await self._run(self._delete, command)

    async def rename(self, command: Any) -> str:
        """Give a file or a folder another path."""
        return await self._run(self._rename, command)

    async def clear_all_memory(self) -> str:
        """Remove every file."""
        return await self._run(self._clear, None)

    async def _run(self, do: Callable[[Records, Any], str], command: Any) -> str:
        def in_one_transaction() -> str:
            with self._voice.services.agent_records.transaction() as records:
                return do(records, command)

        return await to_thread.run_sync(in_one_transaction)  # the records' file is locked meanwhile

    def _view(self, records: Records, command: Any) -> str:
        path = _path(command.path)
        text = self._text(records, path)
        if text is not None:
            lines = text.split("\n")
            first, last = command.view_range or (1, -1)
            first = max(1, first)  # 0 would read from the end
            shown = lines[first - 1 : len(lines) if last == -1 else last]  # -1: to the end
            return f"Here's the content of {command.path} with line numbers:\n" + _numbered(shown, first)
        sizes = {each.name or "": len(json.loads(each.value).encode()) for each in self._below(records, path)}
        if not sizes and path != _ROOT:  # the root is there without a file
            raise _tools.ToolError(_MISSING.format(command.path))
        head = f"Here're the files and directories up to 2 levels deep in {command.path}, excluding hidden items:"
        return "\n".join([head, f"{sum(sizes.values())}B\t{command.path}", *_listed(sizes, path, command.path)])

    def _create(self, records: Records, command: Any) -> str:
        path = _path(command.path)
        above = [path[:at] for at in range(len(_ROOT) + 1, len(path)) if path[at] == "/"]
        if self._is_there(records, path) or any(self._text(records, each) is not None for each in above):
            raise _tools.ToolError(f"File {command.path} already exists")
        self._write(records, path, command.file_text)
        return f"File created successfully at: {command.path}"

    def _replace(self, records: Records, command: Any) -> str:
        path, old = _path(command.path), command.old_str
        text = self._file(records, path, command.path)
        if old not in text or not old:  # "" is in every text
            raise _tools.ToolError(
                f"No replacement was performed, old_str `{old}` did not appear verbatim in {command.path}."
            )
        if text.count(old) > 1:
            raise _tools.ToolError(
                f"No replacement was performed. Multiple occurrences of old_str `{old}`. Make it unique"
            )
        line = text[: text.index(old)].count("\n")
        left = text.replace(old, command.new_str)
        self._write(records, path, left)
        first = max(0, line - 2)
        told = "The memory file has been edited. Here is the snippet showing the change (with line numbers):\n"
        return told + _numbered(left.split("\n")[first : line + 3], first + 1)

    def _insert(self, records: Records, command: Any) -> str:
        path = _path(command.path)
        lines = self._file(records, path, command.path).removesuffix("\n").split("\n")  # the last newline is no line
        lines = [] if lines == [""] else lines  # an empty file has no lines
        if not 0 <= command.insert_line <= len(lines):
            raise _tools.ToolError(
                f"Invalid `insert_line` parameter: {command.insert_line}. "
                f"It should be within the range [0, {len(lines)}]."
            )
        lines.insert(command.insert_line, command.insert_text.rstrip("\n"))
        self._write(records, path, "\n".join(lines) + "\n")
        return f"The file {command.path} has been edited."

    def _delete(self, records: Records, command: Any) -> str:
        path = _path(command.path)
        if path == _ROOT:
            raise _tools.ToolError("Cannot delete the /memories directory itself")
        if not self._is_there(records, path):
            raise _tools.ToolError(f"The path {command.path} does not exist")
        records.remove(RecordKind.FILE, self._owner, path)
        records.remove(RecordKind.FILE, self._owner, StartsWith(f"{path}/"))
        return f"Successfully deleted {command.path}"

    def _rename(self, records: Records, command: Any) -> str:
        old, new = _path(command.old_path), _path(command.new_path)
        if old == _ROOT or new.startswith(f"{old}/"):
            raise _tools.ToolError("Cannot rename the /memories directory itself, or a directory into itself")
        if self._is_there(records, new):
            raise _tools.ToolError(f"The destination {command.new_path} already exists")
        if not self._is_there(records, old):
            raise _tools.ToolError(f"The path {command.old_path} does not exist")
        moved = [*records.find(RecordKind.FILE, self._owner, old), *self._below(records, old)]
        for each in moved:
            self._write(records, new + (each.name or "")[len(old) :], json.loads(each.value))  # below it, paths stay
        records.remove_ids(each.id for each in moved)  # the new ones are written by now
        return f"Successfully renamed {command.old_path} to {command.new_path}"

    def _clear(self, records: Records, command: Any) -> str:
        del command
        records.remove(RecordKind.FILE, self._owner)
        return "All memory cleared"

    def _text(self, records: Records, path: str) -> str | None:
        found = records.find(RecordKind.FILE, self._owner, path)
        return json.loads(found[0].value) if found else None

    def _file(self, records: Records, path: str, named: str) -> str:
        text = self._text(records, path)
        if text is None:
            is_folder = path == _ROOT or self._is_there(records, path)
            raise _tools.ToolError(f"The path {named} is not a file." if is_folder else _MISSING.format(named))
        return text

    def _below(self, records: Records, path: str) -> list[Any]:
        return list(records.find(RecordKind.FILE, self._owner, StartsWith(f"{path}/")))

    def _is_there(self, records: Records, path: str) -> bool:
        return path == _ROOT or self._text(records, path) is not None or bool(self._below(records, path))

    def _write(self, records: Records, path: str, text: str) -> None:
        records.put(RecordKind.FILE, self._owner, path, json_bytes(text), self._voice.services.clock.now())


def _path(named: str) -> str:
    """Return where a path leads; one that leads out of `/memories` leads nowhere."""
    path = posixpath.normpath(named)  # "/memories/../etc" → "/etc"
    if path != _ROOT and not path.startswith(f"{_ROOT}/"):
        raise _tools.ToolError(f"Path must start with /memories and stay within it, got: {named}")
    return path


def _numbered(lines: list[str], first: int) -> str:
    return "\n".join(f"{number:>6}\t{line}" for number, line in enumerate(lines, start=first))


def _listed(sizes: dict[str, int], path: str, named: str) -> list[str]:
    shown: dict[str, int] = {}
    for name, size in sizes.items():
        steps = name[len(path) + 1 :].split("/")
        if not any(step.startswith(".") for step in steps):  # ".git/config" is hidden
            for depth in range(1, min(len(steps), _DEEPEST) + 1):
                step = "/".join(steps[:depth]) + ("/" if depth < len(steps) else "")
                shown[step] = shown.get(step, 0) + size  # a folder counts all below it
    return [f"{size}B\t{named}/{step}" for step, size in sorted(shown.items())]
