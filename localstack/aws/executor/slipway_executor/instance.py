"""One process of a function, from its start to its end."""

import os
import signal
import subprocess
import tempfile
import threading
import time
from concurrent.futures import TimeoutError as Late

from slipway_executor.runtimeapi import Invocation, RuntimeAPI, error, settle

INIT_SECONDS = 10  # as on AWS


class Instance:
    """Starts `bootstrap` of a folder in a process group of its own."""

    def __init__(self, code, env):
        self._code, self._env = str(code), env
        self._output = tempfile.TemporaryFile()
        self._api = self._process = self._running = None
        self._stopped = False
        self._lock = threading.Lock()

    def start(self):
        """Blocks until the function asks for work. Returns None, or the payload of
        the error that kept it from doing so."""
        bootstrap = os.path.join(self._code, "bootstrap")
        if not os.path.isfile(bootstrap):
            return error("Runtime.InvalidEntrypoint", "the function's archive has no file bootstrap")
        os.chmod(bootstrap, 0o755)
        api = RuntimeAPI()
        env = {**self._env, "AWS_LAMBDA_RUNTIME_API": api.address, "LAMBDA_TASK_ROOT": self._code}
        with self._lock:
            if self._stopped:
                api.close()
                return error("Runtime.Shutdown", "the function was stopped")
            try:
                process = subprocess.Popen(
                    [bootstrap], cwd=self._code, env=env, stdin=subprocess.DEVNULL, stdout=self._output,
                    stderr=subprocess.STDOUT, start_new_session=True,
                )
            except OSError as e:  # e.g. built for another architecture
                api.close()
                return error("Runtime.InvalidEntrypoint", f"bootstrap does not start: {e}")
            self._api, self._process = api, process
        threading.Thread(target=self._watch, args=(api, process), daemon=True).start()
        try:
            failure = api.ready.result(timeout=INIT_SECONDS)
        except Late:
            failure = error("Sandbox.Timedout", f"Init did not end within {INIT_SECONDS} seconds")
        if failure is not None:
            self._kill()
        return failure

    def invoke(self, id, arn, trace, payload, timeout):
        """Returns (payload, is_error). After a timeout or an exit the next call
        starts the process again."""
        deadline = int((time.time() + timeout) * 1000)
        if self._process is None or self._process.poll() is not None:
            if failure := self.start():
                return failure, True
            deadline = int((time.time() + timeout) * 1000)
        invocation = self._running = Invocation(id, arn, trace, payload, deadline)
        if self._process.poll() is not None:  # between the two checks
            self._exited(self._process, invocation)
        self._api.invoke(invocation)
        try:
            return invocation.done.result(timeout=timeout)
        except Late:
            self._kill()
            message = f"RequestId: {id} Error: Task timed out after {timeout:.2f} seconds"
            return error("Sandbox.Timedout", message), True
        finally:
            self._running = None

    def stop(self):
        with self._lock:
            self._stopped = True
        self._kill()

    def mark(self):
        """A place in the output, for output()."""
        return os.fstat(self._output.fileno()).st_size

    def output(self, since=0):
        size = self.mark() - since
        return os.pread(self._output.fileno(), size, since).decode(errors="replace")

    def _watch(self, api, process):
        process.wait()
        settle(api.ready, error("Runtime.ExitError", f"RequestId: Error: {_how(process)}"))
        if self._process is process and self._running is not None:
            self._exited(process, self._running)
        api.close()

    def _exited(self, process, invocation):
        message = f"RequestId: {invocation.id} Error: {_how(process)}"
        settle(invocation.done, (error("Runtime.ExitError", message), True))

    def _kill(self):
        process = self._process
        if process is None:
            return
        try:
            os.killpg(process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        process.wait()


def _how(process):
    code = process.returncode
    if code == 0:
        return "Runtime exited without providing a reason"
    if code < 0:
        return f"Runtime exited with error: signal: {signal.Signals(-code).name}"
    return f"Runtime exited with error: exit status {code}"
