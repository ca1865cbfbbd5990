"""What Step Functions does with task tokens where LocalStack does otherwise."""

import threading


def mend():
    from localstack.services.stepfunctions.provider import StepFunctionsProvider as Provider
    from localstack.services.stepfunctions.asl.component.common.error_name.states_error_name import StatesErrorName
    from localstack.services.stepfunctions.asl.component.common.error_name.states_error_name_type import StatesErrorNameType
    from localstack.services.stepfunctions.asl.component.common.timeouts.timeout import TimeoutSeconds
    from localstack.services.stepfunctions.asl.component.state.state_execution.state_task.service.state_task_service_callback import (
        StateTaskServiceCallback as Task,
    )
    from localstack.services.stepfunctions.asl.eval.callback.callback import (
        CallbackConsumerLeft, CallbackEndpoint, CallbackNotifyConsumerError, CallbackPoolManager, HeartbeatTimeoutError,
    )

    set_up, beat, notify, failed = (
        CallbackEndpoint.setup_heartbeat_endpoint, CallbackEndpoint.notify_heartbeat, CallbackPoolManager.notify, Task._from_error,
    )
    limit = TimeoutSeconds.__init__
    executions = Provider._get_executions
    mutex = threading.Lock()

    def time_out(self, timeout_seconds, is_default=None):
        """A heartbeat alone sets no time-out of 60 seconds."""
        limit(self, TimeoutSeconds.DEFAULT_TIMEOUT_SECONDS if is_default else timeout_seconds, is_default)

    def setup_heartbeat_endpoint(self, heartbeat_seconds):
        """A result that came before the function returned counts at once."""
        endpoint = set_up(self, heartbeat_seconds)
        if self._notify_event.is_set():
            endpoint.notify()
        return endpoint

    def notify_heartbeat(self):
        """A token may be beaten before the function returns."""
        return beat(self) or True

    def notify_once(self, callback_id, outcome):
        """A second result is refused."""
        with mutex:
            endpoint = self._pool.get(callback_id)
            if endpoint is not None and endpoint.get_outcome() is not None:
                raise CallbackNotifyConsumerError(callback_consumer_error=CallbackConsumerLeft())
            return notify(self, callback_id, outcome)

    def from_error(self, env, ex):
        """A lost heartbeat has a name of its own."""
        if not isinstance(ex, HeartbeatTimeoutError):
            return failed(self, env, ex)
        event = self._get_timed_out_failure_event(env)
        kind = StatesErrorNameType.StatesHeartbeatTimeout
        event.event_details["taskTimedOutEventDetails"]["error"] = kind.to_name()
        event.error_name = StatesErrorName(typ=kind)
        return event

    def started(self, context, execution_status=None):
        """A token is looked for in executions that have begun; in others there is none."""
        return [e for e in executions(self, context, execution_status) if e.exec_worker is not None and e.exec_worker.env is not None]

    Provider._get_executions = started
    TimeoutSeconds.__init__ = time_out
    CallbackEndpoint.setup_heartbeat_endpoint = setup_heartbeat_endpoint
    CallbackEndpoint.notify_heartbeat = notify_heartbeat
    CallbackPoolManager.notify = notify_once
    Task._from_error = from_error
