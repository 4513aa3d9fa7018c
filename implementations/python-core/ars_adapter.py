# Generated from compliance/adapter/python/ars_adapter.py by `npm run generate`. Do not edit.
"""Serves an agent runtime to the ARS compliance suite; Python 3.8 or later, standard library only.

A handler takes the params of a method, a dict, and returns its result. What it raises becomes an error answer:
AdapterError with its kind, anything else with the kind internal. A capability is declared where one of its methods has
a handler. Each request runs in a thread of its own, so a handler may wait as long as it likes.

    adapter = Adapter("my-runtime", "1.0.0")

    @adapter.on("workflow/start")
    def start(params):
        return {"execution_id": my_runtime.start(params["workflow"], adapter.invoke)}

    adapter.serve()
"""

import json
import os
import sys
import threading
import time
import traceback

LINE_CAP = 8 * 1024 * 1024
ERROR_CODES = {
    "unsupported": -32601,
    "invalid": -32602,
    "internal": -32603,
    "conflict": -32001,
    "not_found": -32002,
    "illegal_state": -32003,
    "denied": -32004,
}
CAPABILITIES = {
    "audit": ("audit/query", "audit/export", "audit/verify", "evidence/get"),
    "recovery": ("recovery/run", "recovery/resolve", "execution/rollback"),
    "state": ("state/get", "state/snapshot", "state/reconstruct"),
    "verification": ("workflow/verify",),
    "governance": (
        "governance/register_agent",
        "governance/grant",
        "governance/revoke",
        "governance/approve",
        "governance/put_policy",
        "governance/check",
    ),
    "components": ("index/put", "index/get", "schedule/put", "schedule/get"),
    "clock": ("clock/set",),
    "faults": ("fault/arm",),
}


class AdapterError(Exception):
    """Answers a request with an error of one of the kinds of ERROR_CODES; a denial says its gate and execution_id."""

    def __init__(self, kind, message, **data):
        super().__init__(message)
        self.kind = kind
        self.data = data


class Adapter:
    """One runtime under test, at the other end of the suite's pipe."""

    def __init__(self, name, version, limits=None, durable_scope="process", continuation="open", fault_points=None):
        """Takes the identity of the runtime; continuation "resume" has the suite resume instances after a kill."""
        self._identity = {
            "runtime": {"name": name, "version": version, "language": "Python"},
            "spec_version": "1.0",
            "durable_scope": durable_scope,
            "continuation": continuation,
        }
        if limits is not None:
            self._identity["limits"] = limits
        if fault_points is not None:
            self._identity["fault_points"] = fault_points
        self._handlers = {"initialize": self._initialize, "shutdown": lambda params: {}}
        self._waiting = {}
        self._last_id = 0
        self._ids = threading.Lock()
        self._writing = threading.Lock()
        self._output = None

    def on(self, method):
        """Makes the decorated function the handler of a method."""

        def register(handler):
            self._handlers[method] = handler
            return handler

        return register

    def invoke(self, params):
        """Has the suite execute one attempt of an action; gives its outputs, or its error, as the suite answered."""
        return self._request("action/invoke", params)

    def probe(self, params):
        """Asks the suite what became of an interrupted execution."""
        return self._request("action/probe", params)

    def unwanted(self, execution_id):
        """Tells the suite that the result of an invocation is no longer wanted."""
        self._write({"jsonrpc": "2.0", "method": "action/cancel", "params": {"execution_id": execution_id}})

    def fault_point(self, name, execution_id=None):
        """Tells the suite that an armed point is reached, and never returns: nothing is written until the kill."""
        params = {"name": name} if execution_id is None else {"name": name, "execution_id": execution_id}
        self._writing.acquire()
        self._put({"jsonrpc": "2.0", "method": "fault/point", "params": params})
        while True:
            time.sleep(60)

    def serve(self):
        """Answers requests until the suite shuts the adapter down or closes its end; then the process ends."""
        source, self._output = self._streams()
        for line in source:
            message = self._read(line)
            if message is None:
                continue
            if "method" in message:
                if "id" in message:
                    threading.Thread(target=self._serve_one, args=(message,), daemon=True).start()
                continue
            box = self._waiting.pop(message.get("id"), None)
            if box is not None:
                box.fill(message)
        os._exit(0)

    def _streams(self):
        """The protocol's own descriptors: what else is printed on stdout goes to stderr."""
        for at, word in enumerate(sys.argv):
            if word == "--fd" or word.startswith("--fd="):
                value = word[5:] if word.startswith("--fd=") else sys.argv[at + 1]
                source, target = (int(part) for part in value.split(","))
                return os.fdopen(source, "rb"), target
        target = os.dup(1)
        os.dup2(2, 1)
        return sys.stdin.buffer, target

    def _read(self, line):
        try:
            message = json.loads(line)
        except ValueError:
            message = None
        if isinstance(message, dict):
            return message
        print("adapter: skipped a line that is no message", file=sys.stderr, flush=True)
        return None

    def _initialize(self, _params):
        served = [name for name, methods in CAPABILITIES.items() if any(m in self._handlers for m in methods)]
        return {**self._identity, "capabilities": ["core", *served]}

    def _serve_one(self, request):
        answer = {"jsonrpc": "2.0", "id": request["id"]}
        try:
            handler = self._handlers.get(request["method"])
            if handler is None:
                raise AdapterError("unsupported", request["method"] + " is not served")
            answer["result"] = handler(request.get("params") or {}) or {}
        except AdapterError as error:
            answer["error"] = self._error(error.kind, str(error), error.data)
        except Exception as error:  # whatever a handler raises is an answer
            traceback.print_exc()
            answer["error"] = self._error("internal", repr(error), {})
        self._write(answer)
        if request["method"] == "shutdown":
            os._exit(0)

    @staticmethod
    def _error(kind, text, data):
        return {"code": ERROR_CODES[kind], "message": text, "data": {"kind": kind, **data}}

    def _request(self, method, params):
        box = _Box()
        with self._ids:
            self._last_id += 1
            number = self._last_id
            self._waiting[number] = box
        self._write({"jsonrpc": "2.0", "id": number, "method": method, "params": params})
        message = box.wait()
        if "error" in message:
            kind = message["error"].get("data", {}).get("kind", "internal")
            raise AdapterError(kind, message["error"]["message"])
        return message["result"]

    def _write(self, message):
        with self._writing:
            self._put(message)

    def _put(self, message):
        data = json.dumps(message, ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode("utf-8") + b"\n"
        if len(data) > LINE_CAP:
            raise AdapterError("internal", "a message of more than 8 MiB")
        while data:
            data = data[os.write(self._output, data) :]


class _Box:
    """Where a thread waits for the one answer to its request."""

    def __init__(self):
        self._full = threading.Event()
        self._message = None

    def fill(self, message):
        self._message = message
        self._full.set()

    def wait(self):
        self._full.wait()
        return self._message
