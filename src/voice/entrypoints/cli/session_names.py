"""Conversations by name, in a table of theirs.

Law: a person knows a conversation by its topic and a command by its id: both are shown, the id as much of it as tells
the conversations of one output apart (commands take the start of an id), the topic cut to what a line can spare. A
program is given both whole.
"""

from collections.abc import Collection, Mapping

from voice.entrypoints.cli.printing import printable

_LEAST_ID = 12
"""Characters; the prefix, and the moment at which it began."""
_MOST_TOPIC = 32


def session_names(ids: Collection[str], topics: Mapping[str, str], *, width: int) -> Mapping[str, str]:
    """Return what each conversation is shown as.

    Args:
        ids: those of the conversations that are shown.
        topics: what they are about; one without a topic is shown by its id.
        width: columns of the output.
    """
    length = _length_that_tells(ids)
    room = max(1, min(_MOST_TOPIC, width - length - 2))
    return {each: f"{each[:length]}  {_cut(printable(topics.get(each, '')), room)}".rstrip() for each in ids}


def _length_that_tells(ids: Collection[str]) -> int:
    """Return how much of each id is needed."""
    length = _LEAST_ID
    while len({each[:length] for each in ids}) < len(set(ids)):
        length += 1
    return length


def _cut(text: str, width: int) -> str:
    from rich.text import Text

    topic = Text(text)
    topic.truncate(width, overflow="ellipsis")
    return topic.plain
