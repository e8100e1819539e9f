# pyright: basic, reportMissingImports=false
"""The server's process, run by the interpreter that has `xllamacpp` and nothing of this program.

Law: it listens on the loopback alone, lets in whoever has the key, serves no page, and ends when its parent does. The
key comes in on standard input, never on the command line; a line `cpu` is answered with the processor time so far.
"""

import json
import os
import sys
import time
from argparse import ArgumentParser

import xllamacpp

_LOWEST_PRIORITY = 19


def main() -> None:
    """Serve one model until standard input ends."""
    parser = ArgumentParser(description=__doc__)
    parser.add_argument("model", help="the GGUF file")
    parser.add_argument("--alias", required=True, help="what the model is called")
    parser.add_argument("--context", type=int, required=True, help="tokens of prompt and reply together")
    options = parser.parse_args()
    os.nice(_LOWEST_PRIORITY)
    params = xllamacpp.CommonParams()
    params.model.path = options.model
    params.model_alias = {options.alias}
    params.api_keys = [sys.stdin.readline().strip()]
    params.cors_origins = "http://127.0.0.1"
    params.ui = False
    params.offline = True
    params.hostnames = ["127.0.0.1"]
    params.n_ctx = options.context
    params.n_parallel = 1
    params.cache_ram_mib = 0
    params.cpuparams.n_threads = 1
    params.cpuparams_batch.n_threads = 1
    server = xllamacpp.Server(params)
    _say({"address": server.listening_address})
    for line in sys.stdin:
        if line.strip() == "cpu":
            _say({"cpu_s": time.process_time()})


def _say(message: dict[str, object]) -> None:
    print(json.dumps(message), flush=True)


if __name__ == "__main__":
    main()
