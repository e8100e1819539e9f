"""docs/cli.md, made from the commands themselves.

Law: nothing about a command is written twice; the page is what `--help` says, with the schema of each `--json`.
"""

from collections.abc import Iterator
from inspect import cleandoc

import click

from voice.entrypoints.cli.main import PROGRAM, cli

_HEAD = """\
# The command line

<!-- Made from the commands; `cli_markdown` in tools/reference/cli.py prints it. -->

The answer goes to standard output, everything else to standard error. If a command takes a text, `-` or no text at all
reads a pipe (UTF-8). `--json` prints one JSON document of the named schema (in the package under `voice/schemas`);
warnings of `ask` about the search and the spending caps are in it, too (`warnings`). A failure prints one line on
standard error that says what to do, with its code in brackets.

**Ids.** You can shorten an id: type at least four characters after the colon, with or without `…` at the end, enough to
match only one. If it matches several, the command does nothing and lists them.
| exit code | meaning |
|---|---|
| 0 | done; for `ask`: answered |
| 1 | anything else; `doctor`, `maintain verify`, `verifier check`: found a fault |
| 2 | usage: an impossible option, id or file |
| 3 | refused: the notes prove too little; `check`: a claim is not proven, or a citation is invented |
| 4 | switched off, not configured, or another process holds the store and does not answer |
| 5 | the provider or the encoder failed |
| 6 | the spending cap |
| 7 | `sessions audit`: a stored sentence is no longer grounded; `sessions replay`: a prompt differs |
| 8 | `sessions replay`: no prompt differs, but one can no longer be proven |
| 9 | unknown whether a write happened, because the process or server with the store did not answer; check first |
| 10 | `eval`: worse than the last run, or less than `--at-least` |
| 130 | stopped with Ctrl-C |
| 143 | stopped with SIGTERM |

**Switched off by default.** `ask`, `chat`, `retrieve`, `recall` and `organise` work once the inner voice is on.
`voice init` switches it on for the memory it makes; for others, set `enabled = true` in `voice.toml` or
`SURR_ENABLE_INNER_VOICE=1`. You can always store notes, look at them, and run maintenance. `demo` has its own store.

**Private notes** stay out unless you add `--private`; `export` and `maintain backup` hold everything, in a file that
only you can read. Control characters in stored text never reach a terminal or a file; JSON holds them as escapes.

**Environment.** `VOICE_HOME` names the data directory, `NO_COLOR` turns colours off, and `VOICE_DEBUG=1` shows where an
internal error happened. Every setting has a variable: [settings](settings.md). Progress bars appear only on a terminal
and only for long work.
"""
SCHEMAS: dict[str, str] = {
    "init": "cli/init",
    "doctor": "cli/doctor",
    "config": "cli/config",
    "remember": "cli/remember",
    "import": "cli/import",
    "sync": "cli/sync",
    "export": "cli/export",
    "ask": "cli/ask",
    "retrieve": "retrieve",
    "recall": "recall",
    "kg add entity": "cli/kg-add",
    "kg add observation": "cli/kg-add",
    "kg add relation": "cli/kg-add",
    "kg list": "cli/kg-list",
    "kg show": "cli/kg-show",
    "kg export": "cli/kg-export",
    "kg graph": "cli/kg-graph",
    "kg duplicates": "cli/kg-duplicates",
    "kg merge": "cli/kg-merge",
    "kg unmerge": "cli/kg-merge",
    "hook install": "cli/hook-install",
    "hook uninstall": "cli/hook-install",
    "hook status": "cli/hook-status",
    "review": "cli/review",
    "conflicts": "cli/conflicts",
    "correct": "cli/correct",
    "pins add": "cli/pins-add",
    "pins list": "cli/pins-list",
    "pins remove": "cli/pins-remove",
    "capsules open": "cli/capsules-open",
    "capsules close": "cli/capsules-open",
    "capsules summarise": "cli/capsules-open",
    "capsules list": "cli/capsules-list",
    "capsules show": "cli/capsules-show",
    "sessions list": "cli/sessions-list",
    "sessions show": "cli/sessions-show",
    "sessions edit": "cli/sessions-change",
    "sessions fork": "cli/sessions-change",
    "sessions diff": "cli/sessions-diff",
    "sessions delete": "cli/sessions-delete",
    "sessions audit": "cli/sessions-audit",
    "sessions replay": "cli/sessions-replay",
    "sessions summarise": "cli/sessions-summarise",
    "sessions import": "cli/sessions-import",
    "report": "cli/report",
    "eval": "cli/eval",
    "check": "cli/check",
    "verifier check": "cli/verifier-check",
    "models list": "cli/models-list",
    "models install": "cli/models-install",
    "prompts list": "cli/prompts-list",
    "prompts show": "cli/prompts-show",
    "maintain backup": "cli/maintain-backup",
    "maintain restore-backup": "cli/maintain-restore-backup",
    "maintain verify": "cli/maintain-verify",
    "maintain rebuild": "cli/maintain-reindex",
    "kg candidates": "cli/kg-candidates",
    "kg approve": "cli/kg-moderate",
    "kg reject": "cli/kg-moderate",
    "kg alias": "cli/kg-moderate",
    "kg edit": "cli/kg-moderate",
    "kg review": "cli/kg-moderate",
    "removals mark": "cli/maintain-mark",
    "removals unmark": "cli/maintain-mark",
    "removals list": "cli/maintain-removals",
    "removals export": "cli/maintain-export-removals",
    "removals finalise": "cli/maintain-finalise-removals",
    "removals restore": "cli/maintain-restore-removed",
    "maintain compact": "cli/maintain-compact",
    "forget": "cli/forget",
    "redact": "cli/forget",
    "organise": "organise",
    "kg stage": "cli/kg-stage",
}
"""The schema of each command's `--json`, below voice/schemas and without its suffix."""
_MORE_SCHEMAS = {
    "ask": (
        "`--shape nlq`: `cli/ask-nlq.schema.json`; `--explain` adds to either `cli/ask-reading.schema.json`; "
        "`--dry-run`: `cli/ask-dry-run.schema.json`"
    ),
    "conflicts": "with an id: `cli/conflicts-resolved.schema.json`",
    "forget": "`--sentence`: `cli/forget-sentence.schema.json`",
    "kg merge": "`--list`: `cli/kg-merges.schema.json`",
    "maintain rebuild": (
        "`vectors`: `cli/maintain-reembed.schema.json`, under its former name `cli/maintain-embed-pending.schema.json`"
    ),
    "retrieve": "`--explain`: `retrieve-explain.schema.json`",
    "review": "without a decision: `cli/review-list.schema.json`",
}


def commands() -> Iterator[tuple[str, click.Command, click.Context]]:
    """Yield every command with its name (`kg add entity`) and a context to ask it for its help; groups come first.

    A command that has two places is yielded at its first; names of an earlier release are not.
    """
    seen: set[int] = set()
    for name, command, context in _below(cli, click.Context(cli, info_name=PROGRAM), ()):
        if id(command) not in seen:
            yield name, command, context
        seen.add(id(command))


def _below(
    group: click.Group, parent: click.Context, path: tuple[str, ...]
) -> Iterator[tuple[str, click.Command, click.Context]]:
    for name in group.list_commands(parent):
        command = group.get_command(parent, name)
        if command is None or command.hidden:
            continue
        context = click.Context(command, info_name=name, parent=parent)
        yield " ".join((*path, name)), command, context
        if isinstance(command, click.Group):
            yield from _below(command, context, (*path, name))


def cli_markdown() -> str:
    """Return docs/cli.md."""
    lines = [_HEAD]
    for name, command, context in commands():
        lines += [f"## {PROGRAM} {name}", "", *_body(name, command, context)]
    return "\n".join(lines).rstrip() + "\n"


def _body(name: str, command: click.Command, context: click.Context) -> Iterator[str]:
    usage = " ".join(command.collect_usage_pieces(context))
    yield from (f"`{PROGRAM} {name} {usage}`", "")
    yield from _prose(cleandoc(command.help or ""))
    options = [option for option in command.params if isinstance(option, click.Option)]
    records = [record for option in options if (record := option.get_help_record(context)) is not None]
    if records:
        yield from ("| option | what it does |", "|---|---|")
        yield from (f"| `{_cell(names)}` | {_cell(about)} |" for names, about in records)
        yield ""
    if name in SCHEMAS:
        more = f"; {_MORE_SCHEMAS[name]}" if name in _MORE_SCHEMAS else ""
        yield from (f"Schema of `--json`: `{SCHEMAS[name]}.schema.json`{more}.", "")


def _prose(text: str) -> Iterator[str]:
    """Yield the help as Markdown: a paragraph that click must not wrap is code, but for its title."""
    for paragraph in text.split("\n\n"):
        is_code = paragraph.startswith("\b\n")
        lines = paragraph.removeprefix("\b\n").splitlines()
        if not is_code:
            yield from (*lines, "")
        elif len(lines) == 1 and not lines[0].startswith("Example: "):
            yield from (lines[0], "")
        elif len(lines) == 1:
            title, _, example = lines[0].partition(": ")
            yield from (f"{title}:", "", "```sh", example, "```", "")
        else:
            yield from (lines[0], "", "```sh", *(line.strip() for line in lines[1:]), "```", "")


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")
