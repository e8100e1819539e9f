"""A small export of every format, made of any sentences: what is written, and which file of it is named."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from voice.ports.files import FileFormat

Files = Mapping[str, str]
ID: Final = "0123456789abcdef0123456789abc{:03x}"
_AT: Final = 1_741_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Form:
    """How sentences are written in a format: each sentence is one thought."""

    files: Callable[[Sequence[str]], Files]
    main: str = ""
    """The file that is named; empty: the folder."""
    is_packed: bool = True
    """Whether it is read from an archive, too."""

    def write(self, root: Path, said: Sequence[str], order: Callable[[Sequence[str]], Sequence[str]]) -> Path:
        """Write the files in some order, and return the path to name."""
        files = self.files(said)
        for name in order(sorted(files)):
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_text(files[name], encoding="utf-8")
        return root / self.main if self.main else root


def _notes(said: Sequence[str]) -> Files:
    return {f"{'sub/' if number % 2 else ''}note {number}.md": text for number, text in enumerate(said)}


def _vault(said: Sequence[str]) -> Files:
    settings = {".obsidian/templates.json": '{"folder": "Forms"}', "Forms/day.md": "A template."}
    return {**settings, **{name: f"{text} [[note 0]]" for name, text in _notes(said).items()}}


def _graph(said: Sequence[str]) -> Files:
    pages = {f"pages/Page {number}.md": f"- {text}" for number, text in enumerate(said)}
    return {"logseq/config.edn": "{}", **pages}


def _notion(said: Sequence[str]) -> Files:
    """Pages, a page that is a row's, and rows without pages."""
    titles = [f"Row {number}" for number in range(len(said))]
    table = "Name,What\n" + "".join(f"{title},{text}\n" for title, text in zip(titles, said, strict=True))
    page = {f"Rows {ID.format(0)}/Row 0 {ID.format(1)}.md": f"# Row 0\n\nWhat: {said[0]}"}
    return {f"Rows {ID.format(0)}.csv": table, f"Rows {ID.format(0)}_all.csv": table, **page}


def _keep(said: Sequence[str]) -> Files:
    stamps = [(_AT + number) * 1_000_000 for number in range(len(said))]
    return {
        f"Takeout/Keep/{number}.json": json.dumps({"textContent": text, "createdTimestampUsec": stamps[number]})
        for number, text in enumerate(said)
    }


def _chatgpt(said: Sequence[str]) -> Files:
    """One conversation in each of several files."""
    return {
        f"conversations-{number:03}.json": json.dumps([{"id": f"c{number}", "mapping": {"a": _spoken(text)}}])
        for number, text in enumerate(said)
    }


def _spoken(text: str) -> object:
    content = {"content_type": "text", "parts": [text]}
    return {"id": "a", "message": {"author": {"role": "user"}, "create_time": _AT, "content": content}}


def _claude(said: Sequence[str]) -> Files:
    turns = [{"uuid": str(number), "sender": "human", "text": text} for number, text in enumerate(said)]
    users = json.dumps([{"full_name": "Irma"}])
    return {"conversations.json": json.dumps([{"uuid": "c", "chat_messages": turns}]), "users.json": users}


def _activities(said: Sequence[str]) -> Files:
    entries = [
        {"header": "Gemini Apps", "title": f"Prompted {text}", "time": f"2025-03-01T10:00:{number:02}Z"}
        for number, text in enumerate(said)
    ]
    return {"Takeout/My Activity/Gemini Apps/MyActivity.json": json.dumps(entries)}


def _transcripts(said: Sequence[str]) -> Files:
    return {
        f"{number}.jsonl": json.dumps(
            {
                "sessionId": f"s{number}",
                "type": "user",
                "uuid": f"u{number}",
                "parentUuid": None,
                "message": {"role": "user", "content": text},
            }
        )
        for number, text in enumerate(said)
    }


def _rollouts(said: Sequence[str]) -> Files:
    """One session in each of several files, each thing said as an event and as an item."""
    at = "2025-03-01T10:00:00Z"
    return {
        f"rollout-{number}.jsonl": "".join(
            json.dumps({"timestamp": at, "type": kind, "payload": payload}) + "\n"
            for kind, payload in (
                ("session_meta", {"id": f"s{number}", "cwd": "/work", "source": "cli"}),
                ("response_item", {"type": "message", "role": "user", "content": [{"text": text}]}),
                ("event_msg", {"type": "user_message", "message": text}),
            )
        )
        for number, text in enumerate(said)
    }


def _gemini_sessions(said: Sequence[str]) -> Files:
    """One session, each message first begun and then written whole."""
    entries = [
        {"sessionId": "s", "projectHash": "p"},
        *(
            {"id": f"m{number}", "type": "user", "content": [{"text": part}]}
            for number, text in enumerate(said)
            for part in (text[:1], text)
        ),
    ]
    return {"session-1.jsonl": "".join(json.dumps(entry) + "\n" for entry in entries)}


def _messages(said: Sequence[str]) -> Files:
    return {"talk.json": json.dumps({"id": "m", "messages": [{"role": "user", "content": text} for text in said]})}


def _whatsapp(said: Sequence[str]) -> Files:
    return {"_chat.txt": "".join(f"[05.03.24, 14:02:{n:02}] Irma: {text}\n" for n, text in enumerate(said))}


def _telegram(said: Sequence[str]) -> Files:
    messages = [
        {"id": number, "type": "message", "date_unixtime": str(_AT), "from": "Irma", "text": text}
        for number, text in enumerate(said)
    ]
    return {"result.json": json.dumps({"name": "Paul", "type": "personal_chat", "id": 7, "messages": messages})}


def _evernote(said: Sequence[str]) -> Files:
    notes = "".join(
        f"<note><title>Note {number}</title><created>20240305T140211Z</created>"
        f"<content><![CDATA[<en-note><div>{text}</div></en-note>]]></content></note>"
        for number, text in enumerate(said)
    )
    return {"notes.enex": f'<?xml version="1.0"?><en-export>{notes}</en-export>'}


def _mails(said: Sequence[str]) -> Files:
    return {
        "sent.mbox": "".join(
            f"From x Sat Mar 01 09:00:00 2025\nFrom: Irma <irma@x.de>\nMessage-ID: <{number}@x>\n\n{text}\n\n"
            for number, text in enumerate(said)
        )
    }


def _lines(said: Sequence[str]) -> Files:
    return {"app.jsonl": "".join(json.dumps({"text": text}) + "\n" for text in said)}


def _own(said: Sequence[str]) -> Files:
    rows = [{"format": "inner-voice-memory/1"}, *({"type": "thought", "content": text} for text in said)]
    return {"memory.jsonl": "".join(json.dumps(row) + "\n" for row in rows)}


def _bench(said: Sequence[str]) -> Files:
    items = [{"id": str(number), "text": text, "created_at": "2025-03-01"} for number, text in enumerate(said)]
    corpora = [{"id": "c", "items": items, "questions": []}]
    return {"set.json": json.dumps({"format": "memory-bench/1", "name": "x", "licence": "x", "corpora": corpora})}


FORMS: Final[Mapping[FileFormat, Form]] = {
    FileFormat.OWN: Form(files=_own, main="memory.jsonl", is_packed=False),
    FileFormat.MARKDOWN: Form(files=_notes),
    FileFormat.MEMORY_BENCH: Form(files=_bench, main="set.json", is_packed=False),
    FileFormat.OBSIDIAN: Form(files=_vault),
    FileFormat.CHATGPT: Form(files=_chatgpt),
    FileFormat.CLAUDE: Form(files=_claude),
    FileFormat.GEMINI: Form(files=_activities),
    FileFormat.CLAUDE_CODE: Form(files=_transcripts),
    FileFormat.CODEX: Form(files=_rollouts),
    FileFormat.GEMINI_CLI: Form(files=_gemini_sessions),
    FileFormat.MESSAGES: Form(files=_messages),
    FileFormat.WHATSAPP: Form(files=_whatsapp),
    FileFormat.TELEGRAM: Form(files=_telegram),
    FileFormat.KEEP: Form(files=_keep),
    FileFormat.EVERNOTE: Form(files=_evernote),
    FileFormat.NOTION: Form(files=_notion),
    FileFormat.LOGSEQ: Form(files=_graph),
    FileFormat.MBOX: Form(files=_mails),
    FileFormat.JSONL: Form(files=_lines, main="app.jsonl", is_packed=False),
    FileFormat.TEXT: Form(files=lambda said: {f"{number}.txt": f"{text}\n\n" for number, text in enumerate(said)}),
}
"""Each format that is known, and how it is written."""
