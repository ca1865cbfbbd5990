"""The Lambda Runtime API for one process: an HTTP server on a private port."""

import dataclasses
import json
import queue
import threading
from concurrent.futures import Future, InvalidStateError
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

BASE = "/2018-06-01/runtime/"
MAX_PAYLOAD = 6 * 1024 * 1024 + 100  # bytes of a response, as AWS counts


@dataclasses.dataclass
class Invocation:
    """One request to the function; done gets (payload, is_error)."""

    id: str
    arn: str
    trace: str
    payload: bytes
    deadline_ms: int
    done: Future = dataclasses.field(default_factory=Future)


class RuntimeAPI:
    """Serves one process, one invocation at a time. `ready` becomes true at the
    first request for work, or gets the payload of an initialisation error."""

    def __init__(self):
        self.ready = Future()
        self._work = queue.Queue()
        self._current = None
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        self._server.daemon_threads = True
        self.address = "127.0.0.1:%d" % self._server.server_address[1]
        threading.Thread(target=self._server.serve_forever, args=(2.0,), daemon=True).start()

    def invoke(self, invocation):
        self._work.put(invocation)

    def close(self):
        self._work.put(None)
        self._server.shutdown()
        self._server.server_close()

    def next(self):
        settle(self.ready, None)
        self._current = self._work.get()
        return self._current

    def finish(self, id, payload, is_error):
        """Takes the answer to the current invocation; others are refused."""
        invocation = self._current
        if invocation is None or invocation.id != id:
            return 400
        if len(payload) > MAX_PAYLOAD:
            text = f"Response payload size exceeded maximum allowed payload size ({MAX_PAYLOAD} bytes)."
            payload, is_error = error("Function.ResponseSizeTooLarge", text), True
            settle(invocation.done, (payload, is_error))
            return 413
        settle(invocation.done, (payload, is_error))
        return 202

    def fail_init(self, payload):
        settle(self.ready, payload or error("Runtime.Unknown", "the function failed to start"))
        return 202


def settle(future, value):
    """Sets the result unless there is one."""
    try:
        future.set_result(value)
    except InvalidStateError:
        pass


def error(kind, message):
    return json.dumps({"errorType": kind, "errorMessage": message}).encode()


def _handler(api):
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self):
            if self.path != BASE + "invocation/next":
                return self._answer(404)
            invocation = api.next()
            if invocation is None:  # closing
                self.close_connection = True
                return None
            headers = {
                "Lambda-Runtime-Aws-Request-Id": invocation.id,
                "Lambda-Runtime-Deadline-Ms": str(invocation.deadline_ms),
                "Lambda-Runtime-Invoked-Function-Arn": invocation.arn,
                "Lambda-Runtime-Trace-Id": invocation.trace,
            }
            return self._answer(200, invocation.payload, headers)

        def do_POST(self):
            body = self._body()
            parts = self.path.removeprefix(BASE).split("/")
            if parts == ["init", "error"]:
                return self._answer(api.fail_init(body))
            if len(parts) == 3 and parts[0] == "invocation" and parts[2] in ("response", "error"):
                return self._answer(api.finish(parts[1], body, parts[2] == "error"))
            return self._answer(404)

        def _body(self):
            if "chunked" not in self.headers.get("Transfer-Encoding", "").lower():
                return self.rfile.read(int(self.headers.get("Content-Length") or 0))
            body = bytearray()
            while size := int(self.rfile.readline().split(b";")[0], 16):
                body += self.rfile.read(size)
                self.rfile.readline()
            while self.rfile.readline().strip():  # trailers
                pass
            return bytes(body)

        def _answer(self, status, body=b"", headers=None):
            self.send_response(status)
            for name, value in (headers or {}).items():
                self.send_header(name, value)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            try:
                self.wfile.write(body)
            except OSError:  # the process has ended
                self.close_connection = True

        def log_message(self, *args):
            pass

    return Handler
