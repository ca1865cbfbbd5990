"""Fits an Instance into LocalStack, which makes one executor per concurrent
invocation and calls it for one invocation at a time."""

import os

from localstack import config
from localstack.services.lambda_.invocation.executor_endpoint import StatusErrorException
from localstack.services.lambda_.invocation.lambda_models import InvocationResult
from localstack.services.lambda_.invocation.runtime_executor import RuntimeExecutor

from slipway_executor.instance import Instance

HOST = "127.0.0.1"
KEPT = ("PATH", "HOME", "FILESYSTEM_ROOT")  # of LocalStack's environment; the last marks the process


class ProcessExecutor(RuntimeExecutor):
    def __init__(self, id, function_version):
        super().__init__(id=id, function_version=function_version)
        self._instance = None

    def start(self, env_vars):
        env = {name: os.environ[name] for name in KEPT if name in os.environ}
        env.update({name: str(value) for name, value in env_vars.items()})
        self._instance = Instance(self.function_version.config.code.get_unzipped_code_location(), env)
        if failure := self._instance.start():
            raise StatusErrorException("the function failed to start", payload=failure)

    def invoke(self, payload):
        id = payload["invoke-id"]
        version, timeout = self.function_version, self.function_version.config.timeout
        mark = self._instance.mark()
        result, is_error = self._instance.invoke(
            id, payload["invoked-function-arn"], payload.get("trace-id") or "", payload["payload"].encode(), timeout,
        )
        logs = f"START RequestId: {id} Version: {version.id.qualifier}\n{self._instance.output(mark)}"
        logs = logs.rstrip("\n") + f"\nEND RequestId: {id}\n"
        return InvocationResult(request_id=id, payload=result, is_error=is_error, logs=logs)

    def stop(self):
        if self._instance is not None:
            self._instance.stop()

    def get_logs(self):
        return self._instance.output() if self._instance is not None else ""

    def get_address(self):
        return HOST

    def get_endpoint_from_executor(self):
        return HOST

    def get_runtime_endpoint(self):
        return f"http://{HOST}:{config.GATEWAY_LISTEN[0].port}/"

    @classmethod
    def prepare_version(cls, function_version):
        if function_version.config.code:
            function_version.config.code.prepare_for_execution()

    @classmethod
    def cleanup_version(cls, function_version):
        pass

    @classmethod
    def validate_environment(cls):
        return True
