"""Convert a mail to a line: the sender's own text, without quotations.

Law: quoted and forwarded mails, their introductions and signatures are dropped. Sender names can be forged: a delivered
mail is never the person's own (rulings A12, H). Threads are named by subject. Linear time.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from voice.core.interchange.foreign.conversation import called, placed_line
from voice.core.interchange.memory_lines import FileLine, Omission, ThoughtLine
from voice.core.messages import files as messages
from voice.core.records import Origin

_UNWANTED: Final = frozenset({"spam", "trash", "drafts", "draft", "papierkorb", "entwürfe", "papelera", "borradores"})
_SENT: Final = frozenset({"sent", "sent mail", "gesendet", "enviados"})
# Takes "Re: AW: Fwd[2]: ", each as often as it comes.
_REPLY: Final = re.compile(r"(?:\s*+(?:re|aw|fwd?|wg|rv|antw|sv)\s*+(?:\[\d++\])?:)++\s*+", re.IGNORECASE)
_ENDS: Final = re.compile(
    r"-{2,}\s*(?:original message|forwarded message|ursprüngliche nachricht|originalnachricht"
    r"|weitergeleitete nachricht|mensaje original|mensaje reenviado|message d'origine)\s*-{2,}"
    r"|(?:begin forwarded message|anfang der weitergeleiteten nachricht|inicio del mensaje reenviado)\s?:",
    re.IGNORECASE,
)
# A phone's signature is the last paragraph, of one line that is no sentence: it names a product, or says little more.
_SENT_FROM: Final = re.compile(
    r"(?:\A|\n\n)[ \t]*+(?i:sent from (?:my|mail for|outlook)|von meinem|gesendet (?:von|mit)|enviado desde)\b"
    r"(?=(?:[ \t]++\S++){0,2}[ \t]++\S*[A-Z\d]|(?:[ \t]++[\w-]++){0,2}(?:[ \t]*+[,;(–-]|\Z)).{0,60}(?<![.!?])\Z"
)
_SIGNED: Final = re.compile(r"(.*\n|)[ \t]*+(?:--|_{20,}+)(?:\n.*)?", re.DOTALL)  # a paragraph, from its last such line
_FIELD: Final = re.compile(r"\*?[^\s:：]{1,20}\s?[:：]")  # "De : ", below Outlook's line
_ANNOUNCED: Final = re.compile(  # "On 5 May 2024 at 10:00, Ana <ana@…> wrote:"
    r"(?:on|am|el|le)\b.{0,300}\b(?:wrote|schrieb|escribió|a écrit)\b.{0,120}:", re.IGNORECASE
)
_OPENS: Final = re.compile(r"(?:on|am|el|le)\b", re.IGNORECASE)  # cheaper than the pattern above, for each line
_HEAD: Final = re.compile(r"\*?(?:from|von|de):\*?\s", re.IGNORECASE)  # "From: ", "*Von:* "
_HEAD_DATE: Final = re.compile(r"\*?(?:sent|date|gesendet|datum|enviado|fecha):\*?\s", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Mail:
    """A decoded mail."""

    message_id: str = ""
    subject: str = ""
    name: str = ""
    address: str = ""
    at: datetime | None = None
    thread: str = ""
    """The id of the thread's first mail."""
    labels: tuple[str, ...] = ()
    is_delivered: bool = False
    """Whether it has the headers of a delivered mail."""
    body: str = ""


def mail_line(mail: Mail, where: str, own: frozenset[str] = frozenset()) -> FileLine:
    """Return a mail's line; `own` are the person's casefolded names and addresses."""
    if _UNWANTED & {label.strip().casefold() for label in mail.labels}:  # deleted by the person, or not sent yet
        return Omission(where=where, reason=messages.MAIL_IN_BIN)
    words = own_words(mail.body)
    if not words:
        return Omission(where=where, reason=messages.MAIL_WITHOUT_TEXT)
    is_reply = _REPLY.match(mail.subject) is not None
    content = words if is_reply or not mail.subject else f"# {mail.subject}\n\n{words}"  # a reply's is another mail's
    names = (mail.name.casefold(), mail.address.casefold())
    by_address = names[1] in own and names[0] not in own  # the speaker is the name that is known
    line = ThoughtLine(
        content=content,
        created_at=mail.at,
        kind="email",
        speaker=(mail.address if by_address else mail.name or mail.address) or None,
        claimed_origin=Origin.TOOL if mail.is_delivered and own.intersection(names) else None,  # senders can be forged
        thread=_thread(mail),
        source_ref=f"mail/{mail.message_id}" if mail.message_id else None,
    )
    # A mail in a sent folder shows the owner.
    is_sent = not mail.is_delivered and bool(_SENT & {label.strip().casefold() for label in mail.labels})
    return placed_line(line, where, owner=mail.name or None if is_sent else None)


def _thread(mail: Mail) -> str | None:
    """Return the thread's name: the subject, or an id."""
    answers = _REPLY.match(mail.subject)
    subject = mail.subject[answers.end() :] if answers else mail.subject
    name = (called("mail", {"title": subject}).title if mail.message_id else "") or mail.thread or mail.message_id
    return f"mail/{name}" if name else None


def own_words(text: str) -> str:
    """Return the text written in this mail."""
    lines = text.split("\n")
    kept: list[str] = []
    number = 0
    while number < len(lines):
        line = lines[number].strip()
        if line.startswith(">"):  # answers may stand between quoted lines: go on
            number += 1
            continue
        if _ends_here(lines, number):
            break
        skipped = _announcement(lines, number)
        if not skipped:
            kept.append(lines[number].rstrip())
        number += skipped or 1
    words = re.sub(r"\n{3,}", "\n\n", "\n".join(kept)).strip("\n").rstrip()
    words = _SENT_FROM.sub("", words)
    signed = _SIGNED.fullmatch(words, words.rfind("\n\n") + 1)
    return words[: signed.end(1)].rstrip() if signed else words


def _ends_here(lines: Sequence[str], number: int) -> bool:
    """Return whether a signature by the standard ("-- ") or a whole quoted mail starts here."""
    line, following = lines[number].strip(), lines[number + 1 : number + 5]
    if lines[number] == "-- " or _ENDS.fullmatch(line):
        return True
    if line.startswith("_" * 20) and not line.strip("_"):
        fields = [_FIELD.match(each.strip()) for each in following if each.strip()][:3]
        return len(fields) == 3 and all(fields)
    # "From:" in a text proves nothing; with a date below it is the head of a quoted mail.
    return _HEAD.match(lines[number]) is not None and any(_HEAD_DATE.match(line) for line in following)


def _announcement(lines: Sequence[str], number: int) -> int:
    """Return how many lines introduce a quotation here, with a date and before it or the end; 0 for none."""
    if not _OPENS.match(lines[number].lstrip()):
        return 0
    for count in (1, 2, 3):  # mail programs wrap it
        said = " ".join(line.strip() for line in lines[number : number + count])
        if len(said) < 500 and _ANNOUNCED.fullmatch(said):  # 500: longer ones are text
            after = next((line for line in lines[number + count : number + count + 5] if line.strip()), ">")  # or end
            return count if re.search(r"\d", said) and after.lstrip().startswith(">") else 0
    return 0
