"""Small exports in the style of each program's own: what is written, and what is to come of it."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tables import tables
from voice.ports.files import FileFormat

PAGE: Final = "0123456789abcdef0123456789abcdef"
BLOCK: Final = "65f00000-0000-4000-8000-00000000000a"


@dataclass(frozen=True, slots=True, kw_only=True)
class Exported:
    """What a program exported."""

    kind: FileFormat
    files: Mapping[str, str]
    said: tuple[tuple[str | None, str], ...]
    """Who, and what; in the order in which it comes in."""
    day: str | None
    """Of all that was said."""
    missing: Mapping[str, int]
    """How many were left out or did not come in with the rest, by the first word of what they are."""
    main: str = ""
    """The file that is named; empty: the folder."""

    def write(self, root: Path) -> Path:
        """Write it, and return the path to name."""
        for name, text in self.files.items():
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_text(text, encoding="utf-8")
        return root / self.main if self.main else root


_TELEGRAM, _KEEP, _CODE, _ROLLOUT, _GEMINI_SESSION, _TURNS = tables(__file__).values()
_ACCOUNT = {
    "about": "Here is your data.",
    "personal_information": {"first_name": "Irma"},
    "chats": {"about": "x", "list": [_TELEGRAM]},
}
_TELEGRAM_SAID = (("Irma", "The kiln is hot."), ("Paul", "See this."), ("Irma", "Hot."), ("Irma", "Very."))
_ENEX = """<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE en-export SYSTEM "http://xml.evernote.com/pub/evernote-export4.dtd">
<en-export export-date="20240601T000000Z" application="Evernote"><note><title>Kiln &amp; shed</title>
<created>20240305T140211Z</created><tag>craft</tag><content><![CDATA[<?xml version="1.0"?>
<!DOCTYPE en-note SYSTEM "http://xml.evernote.com/pub/enml2.dtd"><en-note><div>It is hot.</div>
<div><en-todo checked="true"/>clay</div><div><en-todo/>wood</div><en-media type="image/png"/></en-note>]]></content>
</note><note><title></title><content><![CDATA[<en-note></en-note>]]></content></note></en-export>"""
_ASKED = ((None, "Where is the kiln?"), ("assistant", "In the shed."))
_CELL = 'class="content-cell mdl-cell mdl-cell--6-col mdl-typography--body-1"'


def _activity(product: str, body: str) -> str:
    return (
        '<div class="outer-cell mdl-cell"><div class="mdl-grid"><div class="header-cell mdl-cell">'
        f'<p class="mdl-typography--title">{product}<br></p></div><div {_CELL}>{body}</div>'
        '<div class="content-cell mdl-typography--caption"><b>Products:</b><br>&emsp;x<br></div></div></div>'
    )


_WHEN = {
    "French": "5 mars 2024, 14:02:11 CET",
    "Portuguese": "5 de mar. de 2024, 14:02:11 BRT",
    "Dutch": "5 mrt 2024 14:02:11 CET",
    "Russian": "5 мар. 2024 г., 14:02:11 MSK",
    "Turkish": "5 Mar 2024 14:02:11 TRT",
    "Chinese": "2024年3月5日 下午2:02:11 CST",
    "Korean": "2024. 3. 5. 오후 2:02:11 KST",
}


def _takeout(when: str, verb: str) -> str:
    body = f"{verb}\u00a0Where is the kiln?<br>{when}<br><p>In the <b>shed</b>.</p>"
    cells = [_activity("Gemini-Apps", body), _activity("YouTube", body), _activity("Gemini Apps", f"{verb}<br>{when}")]
    return f"<html><head><title>x</title></head><body>{''.join(cells)}</body></html>"


_PROJECT = {
    "uuid": "p1",
    "name": "Kiln",
    "description": "All about the kiln.",
    "prompt_template": "",
    "created_at": "2024-03-05T10:00:00Z",
    "docs": [{"uuid": "d1", "filename": "a.txt", "content": "It is shut.", "created_at": "2024-03-05T10:00:00Z"}, {}],
}
_NOTION = f"""# Kiln

Created: March 5, 2024 2:02 PM
Tags: shed, craft

It is hot, says [Irma](Irma%20{PAGE}.md)."""
_NOTION_HTML = (
    '<html><head><title>Kiln</title></head><body><article id="x" class="page sans"><header>'
    '<h1 class="page-title">Kiln</h1></header><div class="page-body"><p>It is hot.</p></div></article></body></html>'
)

EXPORTS: Final = {
    "telegram": Exported(
        kind=FileFormat.TELEGRAM,
        files={"result.json": json.dumps(_TELEGRAM, indent=1)},
        said=_TELEGRAM_SAID,
        day="2024-03-05",
        missing={"messages": 2, "attachments": 1},
        main="result.json",
    ),
    "telegram account": Exported(
        kind=FileFormat.TELEGRAM,
        files={"result.json": json.dumps(_ACCOUNT, indent=1), "photo.jpg": "x"},
        said=_TELEGRAM_SAID,
        day="2024-03-05",
        missing={"messages": 2, "attachments": 1, "files": 1},
    ),
    "keep": Exported(
        kind=FileFormat.KEEP,
        files={
            "Keep/Shopping.json": json.dumps(_KEEP),
            "Keep/Shopping.html": "<html></html>",
            "Keep/Gone.json": json.dumps({**_KEEP, "isTrashed": True}),
            "Keep/Empty.json": json.dumps({"title": "", "createdTimestampUsec": 1}),
        },
        said=((None, "Shopping\n\nFor the kiln.\n\n- [x] clay\n- [ ] wood"),),
        day="2024-03-05",
        missing={"notes": 2, "attachments": 1, "files": 1},
    ),
    "evernote": Exported(
        kind=FileFormat.EVERNOTE,
        files={"Kiln.enex": _ENEX},
        said=((None, "Kiln & shed\n\nIt is hot.\n\n[x] clay\n\n[ ] wood"),),
        day="2024-03-05",
        missing={"attachments": 1, "notes": 1},
        main="Kiln.enex",
    ),
    "claude code": Exported(
        kind=FileFormat.CLAUDE_CODE,
        files={
            "s.jsonl": "\n".join(
                json.dumps({"sessionId": "s", "timestamp": "2024-03-05T10:00:00Z", **each}) for each in _CODE
            )
        },
        said=_ASKED,
        day="2024-03-05",
        missing={"messages": 4},
        main="s.jsonl",
    ),
    "codex": Exported(
        kind=FileFormat.CODEX,
        files={
            "rollout.jsonl": "\n".join(
                json.dumps({"timestamp": "2024-03-05T10:00:00Z", "type": kind, "payload": payload})
                for kind, payload in _ROLLOUT
            )
        },
        said=_ASKED,
        day="2024-03-05",
        missing={"messages": 2},
        main="rollout.jsonl",
    ),
    "gemini cli": Exported(
        kind=FileFormat.GEMINI_CLI,
        files={
            "session-1.jsonl": "\n".join(
                json.dumps(
                    each
                    if "$set" in each or "$rewindTo" in each or "sessionId" in each
                    else {**each, "timestamp": "2024-03-05T10:00:00Z"}
                )
                for each in _GEMINI_SESSION
            )
        },
        said=_ASKED,
        day="2024-03-05",
        missing={"messages": 2},
        main="session-1.jsonl",
    ),
    "messages": Exported(
        kind=FileFormat.MESSAGES,
        files={"a.json": json.dumps({"id": "m1", "messages": _TURNS})},
        said=_ASKED,
        day=None,
        missing={"messages": 2, "attachments": 1},
        main="a.json",
    ),
    "messages alone": Exported(
        kind=FileFormat.MESSAGES,
        files={"a.json": json.dumps([{**each, "timestamp": 1709647331} for each in _TURNS[1:]], indent=1)},
        said=_ASKED,
        day="2024-03-05",
        missing={"messages": 1, "attachments": 1},
        main="a.json",
    ),
    "messages in lines": Exported(
        kind=FileFormat.MESSAGES,
        files={"a.jsonl": "\n".join(json.dumps({"messages": _TURNS}) for _ in range(1))},
        said=_ASKED,
        day=None,
        missing={"messages": 2, "attachments": 1},
        main="a.jsonl",
    ),
    "takeout": Exported(
        kind=FileFormat.GEMINI,
        files={"MyActivity.html": _takeout("Mar 5, 2024, 2:02:11\u202fPM UTC", "Prompted")},
        said=_ASKED,
        day="2024-03-05",
        missing={"activities": 2},
        main="MyActivity.html",
    ),
    "takeout in German": Exported(
        kind=FileFormat.GEMINI,
        files={"MeineAktivitäten.html": _takeout("05.03.2024, 14:02:11 MEZ", "Gefragt")},
        said=_ASKED,
        day="2024-03-05",
        missing={"activities": 2},
    ),
    **{
        f"takeout in {language}": Exported(
            kind=FileFormat.GEMINI,
            files={"MyActivity.html": _takeout(when, "…")},
            said=_ASKED,
            day="2024-03-05",
            missing={"activities": 2},
            main="MyActivity.html",
        )
        for language, when in _WHEN.items()
    },
    "takeout at no hour": Exported(
        kind=FileFormat.GEMINI,
        files={"MyActivity.html": _takeout("Mar 5, 2024, 99:02:11", "Prompted")},
        said=_ASKED,
        day=None,
        missing={"activities": 2},
        main="MyActivity.html",
    ),
    "takeout in Greek": Exported(
        kind=FileFormat.GEMINI,
        files={"MyActivity.html": _takeout("5 Μαρ 2024, 2:02:11 μ.μ. UTC", "Ερώτηση")},
        said=_ASKED,
        day=None,
        missing={"activities": 2},
        main="MyActivity.html",
    ),
    "claude projects": Exported(
        kind=FileFormat.CLAUDE,
        files={
            "projects.json": json.dumps([_PROJECT, {**_PROJECT, "uuid": "p2", "is_starter_project": True, "docs": []}])
        },
        said=((None, "All about the kiln."), (None, "a.txt\n\nIt is shut.")),
        day="2024-03-05",
        missing={},
        main="projects.json",
    ),
    "notion": Exported(
        kind=FileFormat.NOTION,
        files={f"Kiln {PAGE}.md": _NOTION, f"Empty {PAGE}.md": "\n", f"Kilns {PAGE}.csv": "Name\nKiln"},
        said=((None, "# Kiln\n\nCreated: March 5, 2024 2:02 PM\nTags: shed, craft\n\nIt is hot, says Irma."),),
        day="2024-03-05",
        missing={"pages": 1},
    ),
    "notion in html": Exported(
        kind=FileFormat.NOTION,
        files={f"Kiln {PAGE}.html": _NOTION_HTML},
        said=((None, "Kiln\n\nIt is hot."),),
        day=None,
        missing={},
    ),
    "logseq": Exported(
        kind=FileFormat.LOGSEQ,
        files={
            "logseq/config.edn": "{}",
            "logseq/bak/old.md": "- old",
            "journals/2024_03_05.md": f"- It is hot (({BLOCK})).\n  collapsed:: true\n  mood:: low\n"
            "- {{query (todo)}}",
            "pages/Kiln___Shed.md": "tags:: [[craft]], shed\ndate:: 2024-03-05\n\n- The [[Kiln]]\n"
            f"  id:: {BLOCK}\n  :LOGBOOK:\n  CLOCK: x\n  :END:\n\t- [near]((({BLOCK})))\n",
            "pages/Empty.md": "alias:: x\n-\n",
        },
        said=((None, "- It is hot The Kiln.\n  mood: low\n-"), (None, "Kiln/Shed\n\n- The Kiln\n\t- near")),
        day="2024-03-05",
        missing={"pages": 1},
    ),
}
"""By a name that a test shows."""
