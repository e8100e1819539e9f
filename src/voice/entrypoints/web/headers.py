"""What every answer over HTTP tells the browser, pages and data alike.

Law: a page may load from this server only, run no script and no style that stands inside it, be shown in no other page
and send its forms nowhere else; nothing of a memory is kept in a cache, no address is told to anybody. So what a memory
says can neither run nor fetch, even where a template should fail to escape it. The page of who is not let in shows
nothing of a memory and has a policy of its own (`doorstep`).

Source: DESIGN 8 Web (strict CSP, no third party).
"""

_SOURCES = {
    "default-src": "'none'",
    "script-src": "'self'",
    "style-src": "'self'",
    "img-src": "'self'",
    "connect-src": "'self'",
    "font-src": "'self'",
    "form-action": "'self'",
    "base-uri": "'none'",
    "frame-ancestors": "'none'",
}
CONTENT_SECURITY_POLICY = "; ".join(f"{what} {whence}" for what, whence in _SOURCES.items())
_UNUSED = (
    "accelerometer", "camera", "display-capture", "geolocation", "gyroscope", "magnetometer", "microphone", "midi",
    "payment", "usb",
)  # fmt: skip
FOR_EVER = "private, max-age=31536000, immutable"
ASK_AGAIN = "private, no-cache"
MAY_BE_KEPT = frozenset({FOR_EVER, ASK_AGAIN})
"""What the files of the pages say of themselves: they are the same for everybody and hold no word of a memory."""
SECURITY_HEADERS: tuple[tuple[str, str], ...] = (
    ("content-security-policy", CONTENT_SECURITY_POLICY),
    ("x-content-type-options", "nosniff"),
    ("x-frame-options", "DENY"),
    # Not `no-referrer`: under it a browser sends `Origin: null` with every form, and the guard could not tell its own.
    ("referrer-policy", "same-origin"),
    ("cache-control", "no-store"),
    ("cross-origin-opener-policy", "same-origin"),
    ("cross-origin-embedder-policy", "require-corp"),
    ("cross-origin-resource-policy", "same-origin"),
    ("permissions-policy", ", ".join(f"{what}=()" for what in _UNUSED)),
)
