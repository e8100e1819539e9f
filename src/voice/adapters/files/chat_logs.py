"""The reader of WhatsApp's exported chats.

Law: the order of day and month is found in the first part of the file; then it is read line by line.
"""

import re
from collections.abc import Iterator
from itertools import chain
from typing import BinaryIO, Final

from voice.core.interchange.foreign.told import DateReading
from voice.core.interchange.foreign.whatsapp import chat_lines, is_day_first, stamp_of
from voice.core.interchange.lines import FileLine

_HEAD_BYTES: Final = 1024 * 1024
_LONGEST: Final = 4 * 1024 * 1024
_TITLE: Final = re.compile(r"WhatsApp[ -]Chat\w{0,3}(?: (?:with|mit|con|avec|met|com)| -)? ", re.IGNORECASE)


def read_whatsapp(stream: BinaryIO, title: str, dates: DateReading) -> Iterator[FileLine]:
    """Yield the messages, in order.

    Args:
        stream: the file's bytes.
        title: what the file is called.
        dates: how dates are read.

    Raises:
        OSError: the stream cannot be read.
    """
    head = stream.read(_HEAD_BYTES)
    head += stream.readline(_LONGEST)
    first = head.decode("utf-8-sig", "replace").replace("\r\n", "\n").removesuffix("\n").split("\n")
    stamps = [stamp for line in first if (stamp := stamp_of(line))]
    following = (raw.decode("utf-8", "replace").rstrip("\r\n") for raw in iter(lambda: stream.readline(_LONGEST), b""))
    chat = _TITLE.sub("", title, count=1) or title
    day_first = is_day_first(stamps, dates.zone, dates.order)
    yield from chat_lines(chain(first, following), chat, dates.zone, day_first=day_first)
