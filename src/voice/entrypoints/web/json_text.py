"""JSON as it leaves over HTTP.

Law: what a memory says stays data wherever it lands: in a page that somebody puts it into, in a terminal that shows it.
The characters that could end a script or steer a terminal, or turn the reading direction, are written as escapes; a
reader of JSON gets back exactly what is stored.

Source: DESIGN 8; ruling D22 (what a memory says is data).
"""

import json
import re

from voice.core.text.escaping import escape_json

_MARKUP = re.compile("[<>&]")


def json_bytes(document: object) -> bytes:
    """Return one JSON document in UTF-8.

    Raises:
        ValueError: a number in it is not finite.
    """
    text = json.dumps(document, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return escape_json(_MARKUP.sub(lambda found: f"\\u{ord(found[0]):04x}", text)).encode()
