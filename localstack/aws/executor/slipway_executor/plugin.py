"""What LocalStack looks up under the name `process`."""

from localstack.services.lambda_.invocation.plugins import RuntimeExecutorPlugin


class ProcessExecutorPlugin(RuntimeExecutorPlugin):
    name = "process"

    def load(self, *args, **kwargs):
        from slipway_executor.executor import ProcessExecutor
        from slipway_executor.tokens import mend
        from slipway_executor.web import lighten

        mend()
        lighten()
        return ProcessExecutor
