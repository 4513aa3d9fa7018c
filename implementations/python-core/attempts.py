"""One node's attempts: contract, retries, what follows from an effect that is not known, and recovery (chapters 5 and 6)."""

import threading
import time
import uuid

from documents import MappingError, evaluate_mapping, expression_scope, fits
from expressions import holds

DEFAULT_RETRIES = {"E0": 1, "E1": 3}
BOUND = {"deterministic": 3, "conditionally_deterministic": 2, "non_deterministic": 0}
MOST_REDOS = 3
PROBE_LIMIT = 4.0


class Failure(Exception):
    """Why an attempt did not commit; `refused` where a result came and the contract does not take it."""

    def __init__(self, error_class, detail, effect="unknown", refused=False, early=False):
        super().__init__(detail)
        self.error_class, self.detail = error_class, detail
        self.effect, self.refused, self.early = effect, refused, early


class Attempts:
    """Executes actions for the nodes of one workspace. Every decision is in the journal before it is acted on."""

    def __init__(self, journal, state, host):
        self.journal, self.state, self.host = journal, state, host

    def run(self, instance, node):
        """Resolves an action node; gives (outcome, attempts, outputs, failure), with outcome None where it was stopped."""
        action = instance.action(node["action_def"])
        past = instance.past(node["node_id"])
        while True:
            last = past[-1] if past else None
            if last is not None and last["status"] != "pending":
                if last["status"] == "committed":
                    return "success", last["attempt"], self.outputs(instance, node, last["result"]), None
                if last["status"] == "in_doubt":
                    return "in_doubt", last["attempt"], None, None
                failure = Failure(last["class"], last["detail"])
                count = 0 if last.get("early") else last["attempt"]
                if not last["retry"] or instance.stopping and instance.cancelled:
                    return "failure", count, None, failure
                if last.get("wait_ms") and not last.pop("waited", False):
                    instance.pause(last["wait_ms"] / 1000)
                    last["waited"] = True
                    continue
            with instance.slots:
                if instance.stopping:
                    if instance.cancelled and last is not None and last["status"] == "failed":
                        return "failure", last["attempt"], None, Failure(last["class"], last["detail"])
                    return None, 0, None, None
                self._attempt(instance, node, action, last)

    def _attempt(self, instance, node, action, last):
        redo = last if last is not None and last["status"] == "pending" else None
        mark = redo or {
            "t": "pending", "instance": instance.id, "node": node["node_id"], "exec": str(uuid.uuid4()),
            "attempt": 1 if last is None else last["attempt"] + 1, "key": instance.key(node["node_id"]),
        }
        try:
            if redo is None:
                mark["inputs"] = self._inputs(instance, node, action)
                self.journal.append(mark)
                instance.note({**mark, "status": "pending"})
            limits = [limit for limit in (node.get("timeout_ms"), action.get("timeout_ms")) if limit is not None]
            result = self._invoke(instance, action, mark, min(limits) / 1000 if limits else None)
            self._accept(instance, node, action, mark["inputs"], result)
            self._commit(instance, mark, result)
        except Failure as failure:
            self._failed(instance, node, action, mark, failure)

    def _inputs(self, instance, node, action):
        try:
            inputs = evaluate_mapping(node.get("input_mapping", {}), instance.scope())
        except (MappingError, ValueError) as error:
            raise Failure("E4", str(error), "none", early=True) from error
        self._before(action, inputs, instance.context)
        return inputs

    @staticmethod
    def _before(action, inputs, context):
        if not fits(action.get("input_schema", True), inputs):
            raise Failure("E4", "the inputs do not fit input_schema", "none", early=True)
        for condition in action.get("preconditions", []):
            if condition["kind"] == "hard" and not holds(condition["expression"], expression_scope(inputs, context, None)):
                raise Failure("E4", condition["id"] + " does not hold", "none", early=True)

    def _invoke(self, instance, action, mark, limit):
        """The answer of the host as a result; everything else is a Failure."""
        answer, done = {}, threading.Event()

        def call():
            try:
                answer["is"] = self.host.invoke(
                    {
                        "execution_id": mark["exec"], "idempotency_key": mark["key"], "action_id": action["action_id"],
                        "version": action["version"], "node_id": mark["node"], "instance_id": instance.id,
                        "attempt": mark["attempt"], "inputs": mark["inputs"], "context": instance.context,
                    }
                )
            except Exception as error:  # the host is gone, or answers with an error of the wire
                answer["error"] = error
            done.set()

        threading.Thread(target=call, daemon=True).start()
        if not done.wait(limit):
            self.host.unwanted(mark["exec"])
            raise Failure("E3", "no answer within the limit")
        if "error" in answer:
            raise Failure("E0", str(answer["error"]))
        result = answer["is"]
        if "error" in result:
            error = result["error"]
            raise Failure(error["error_class"], error["detail"], error.get("effect", "unknown"))
        if not isinstance(result.get("outputs"), dict):
            raise Failure("E4", "the answer is no result")
        return result

    def _accept(self, instance, node, action, inputs, result):
        """Success condition, output schema, postconditions and output mapping, in this order."""
        scope = expression_scope(inputs, instance.context, None, result["outputs"], result.get("exit_code"))
        condition = action.get("success_condition")
        if not (holds(condition, scope) if condition is not None else result.get("exit_code", 0) == 0):
            raise Failure("E3", "the success condition does not hold", refused=True)
        if not fits(action.get("output_schema", True), result["outputs"]):
            raise Failure("E4", "the outputs do not fit output_schema", refused=True)
        for condition in action.get("postconditions", []):
            if condition["kind"] == "hard" and not holds(condition["expression"], scope):
                raise Failure("E4", condition["id"] + " does not hold", refused=True)
        if node is not None:
            try:
                self.outputs(instance, node, result["outputs"])
            except (MappingError, ValueError) as error:
                raise Failure("E4", str(error), refused=True) from error

    @staticmethod
    def outputs(instance, node, result):
        if "output_mapping" not in node:
            return result
        return evaluate_mapping(node["output_mapping"], {**instance.scope(), "result": result})

    def _commit(self, instance, mark, result, recovery=()):
        changes = result.get("state_changes", [])
        record = {**mark, "t": "committed", "outputs": result["outputs"], "changes": changes}
        with self.state.lock:
            if not self.state.versions_hold(changes):
                raise Failure("E4", "conflict", refused=True)
            self.journal.append(*recovery, record)
            self.state.apply(changes)
        instance.note({**mark, "status": "committed", "result": result["outputs"]})

    def _failed(self, instance, node, action, mark, failure):
        """Records a failed attempt: to be repeated, failed for good, or decided by what the probe says."""
        effects = bool(action.get("side_effects"))
        probe = None
        earlier = [one for one in instance.past(mark["node"]) if one["attempt"] < mark["attempt"]]
        retry = not failure.early and not failure.refused and mark["attempt"] <= self._retries(node, action, failure)
        if retry and action["rollback"] == "irreversible" and failure.effect == "unknown":
            probe = self._probe(instance, node, action, mark)
            retry = probe["verdict"] == "absent"
        certain = failure.effect == "none" and not mark.get("redo") and all(one.get("effect") == "none" for one in earlier)
        if retry or failure.early or not effects or certain:
            return self._close(instance, mark, failure, retry=retry, wait_ms=self._wait(node, mark) if retry else 0)
        if failure.refused:
            probe = {"verdict": "unknown"}
        return self._decide(instance, node, action, mark, failure, probe or self._probe(instance, node, action, mark))

    @staticmethod
    def _retries(node, action, failure):
        policy = node.get("retry_policy", {})
        allowed = [DEFAULT_RETRIES.get(failure.error_class, 0), BOUND[action["determinism"]]]
        return min([*allowed, policy["max_retries"]] if "max_retries" in policy else allowed)

    @staticmethod
    def _wait(node, mark):
        policy = node.get("retry_policy", {})
        wait = int(policy.get("backoff_ms", 0) * policy.get("backoff_factor", 1) ** (mark["attempt"] - 1))
        return min(wait, policy.get("max_backoff_ms", wait))

    def _close(self, instance, mark, failure, retry=False, wait_ms=0):
        record = {
            **mark, "t": "failed", "class": failure.error_class, "detail": failure.detail,
            "effect": failure.effect, "retry": retry, "wait_ms": wait_ms, "early": failure.early,
        }
        self.journal.append(record)
        instance.note({**record, "status": "failed"})

    def _doubt(self, instance, mark):
        self.journal.append({**mark, "t": "in_doubt"})
        instance.note({**mark, "status": "in_doubt"})
        instance.in_doubt = True

    def _decide(self, instance, node, action, mark, failure, probe):
        """The column of the rollback category, for an effect that is not known."""
        if probe["verdict"] == "applied":
            try:
                return self._commit(instance, mark, {**probe, "exit_code": 0})
            except Failure as conflict:
                failure = conflict
        elif probe["verdict"] == "absent":
            return self._close(instance, mark, failure)
        reference = {"rollbackable": action.get("revert"), "compensatable": action.get("compensation")}.get(action["rollback"])
        undo = instance.action(reference) if reference is not None else None
        if undo is None or "outputs" in undo.get("input_schema", {}).get("required", []):
            return self._doubt(instance, mark)
        inputs = {"execution_id": mark["exec"], "idempotency_key": mark["key"], "inputs": mark["inputs"]}
        self._undo(instance, undo, mark, failure, inputs)

    def _undo(self, instance, undo, original, failure, inputs):
        cause = {"class": failure.error_class, "detail": failure.detail}
        mark = {
            "t": "undo", "instance": instance.id, "node": original["node"], "exec": str(uuid.uuid4()), "attempt": 1,
            "key": "undo/" + original["exec"], "inputs": inputs, "of": original, "cause": cause, "by": undo,
        }
        try:
            self._before(undo, inputs, instance.context)
            self.journal.append(mark)
            result = self._invoke(instance, undo, mark, undo["timeout_ms"] / 1000 if "timeout_ms" in undo else None)
            self._accept(instance, None, undo, inputs, result)
            with self.state.lock:
                changes = result.get("state_changes", [])
                if not self.state.versions_hold(changes):
                    raise Failure("E4", "conflict")
                closed = {**original, "t": "failed", **cause, "effect": "unknown", "retry": False}
                self.journal.append({"t": "undone", "instance": instance.id, "changes": changes}, closed)
                self.state.apply(changes)
            instance.undone = True
            instance.note({**closed, "status": "failed"})
        except Failure:
            self._doubt(instance, original)

    def _probe(self, instance, node, action, mark):
        if not action.get("side_effects"):
            return {"verdict": "absent"}
        if not action.get("probe"):
            return {"verdict": "unknown"}
        answer, done = {}, threading.Event()
        asked = {"execution_id": mark["exec"], "idempotency_key": mark["key"], "action_id": action["action_id"]}
        more = {"version": action["version"], "node_id": mark["node"], "attempt": mark["attempt"], "inputs": mark["inputs"]}

        def call():
            try:
                answer.update(self.host.probe({**asked, **more}))
            except Exception:  # a probe that fails says nothing
                pass
            done.set()

        threading.Thread(target=call, daemon=True).start()
        done.wait(action.get("timeout_ms", PROBE_LIMIT * 1000) / 1000)
        if answer.get("verdict") != "applied":
            return {"verdict": answer.get("verdict", "unknown")}
        try:
            if not isinstance(answer.get("outputs"), dict):
                return {"verdict": "unknown"}
            self._accept(instance, node, action, mark["inputs"], {k: v for k, v in answer.items() if k != "exit_code"})
        except Failure:
            return {"verdict": "unknown"}
        return answer

    def recover(self, instance, node, mark):
        """Decides an execution that a kill interrupted."""
        action = instance.action(node["action_def"])
        crash = Failure("E3", "interrupted")
        if mark["t"] == "undo":
            again = Failure(mark["cause"]["class"], mark["cause"]["detail"])
            return self._undo(instance, mark["by"], mark["of"], again, mark["inputs"])
        probe = self._probe(instance, node, action, mark)
        safe = action["determinism"] == "deterministic" and action.get("idempotent") and action["rollback"] != "irreversible"
        redone = sum(1 for one in instance.past(mark["node"]) if one.get("redo") and one["attempt"] == mark["attempt"])
        if not action.get("side_effects") or safe:
            if probe["verdict"] != "applied" and redone < MOST_REDOS:
                fresh = {**mark, "exec": str(uuid.uuid4()), "redo": True}
                self.journal.append({**mark, "t": "redone"}, fresh)
                return instance.note({**fresh, "status": "pending"})
            if not action.get("side_effects"):
                return self._close(instance, mark, crash)
        return self._decide(instance, node, action, mark, crash, probe)


def sleep_until(event, seconds):
    """Waits, or less where the event comes."""
    end = time.monotonic() + seconds
    while not event.is_set() and time.monotonic() < end:
        event.wait(min(0.05, max(0.0, end - time.monotonic())))
