"""A durable runtime of the profile Core in one process: workflows of actions, conditions and terminals over a journal.

Of error nodes it has those that let the instance fail. It has no skill nodes and no dry runs, and reads the expressions and schemas that expressions.py and documents.py
know; a workflow with more is refused as unsupported.
"""

import threading
import uuid

from attempts import Attempts, Failure, sleep_until
from documents import MappingError, check_action, check_schema, evaluate_mapping, expression_scope, first_defect, fits, resolve
from expressions import CelError, Invalid, Unsupported, evaluate, parse
from journal import Journal

WORST = ["completed", "compensated", "failed"]
WIDTH = 8


class Refused(Exception):
    def __init__(self, kind, message, **data):
        super().__init__(message)
        self.kind, self.data = kind, data


class State:
    """The versions of keys; their values are of no account where nobody can read them."""

    def __init__(self):
        self.lock, self._versions = threading.Lock(), {}

    def versions_hold(self, changes):
        versions = dict(self._versions)
        for change in changes:
            version = versions.get(change["key"], 0)
            if change.get("expected_version", version) != version:
                return False
            versions[change["key"]] = version + 1
        return True

    def apply(self, changes):
        for change in changes:
            self._versions[change["key"]] = self._versions.get(change["key"], 0) + 1


class Instance:
    """One run of a workflow, and what the journal says of it."""

    def __init__(self, started):
        self.id, self.started = started["instance"], started
        self.workflow, self.inputs, self.context = started["workflow"], started["inputs"], started["context"]
        self.nodes = {node["node_id"]: node for node in self.workflow["nodes"]}
        self.slots = threading.Semaphore(started.get("max_parallel") or WIDTH)
        self.outputs, self.trace, self.over = {}, [], None
        self.cancelled = self.in_doubt = self.undone = False
        self.done, self._halt = threading.Event(), threading.Event()
        self._past, self._lock = {}, threading.Lock()

    @property
    def stopping(self):
        return self.cancelled or self.in_doubt

    def action(self, reference):
        return self.started["actions"].get(reference)

    def key(self, node_id):
        return "%s/%s" % (self.id, node_id)

    def past(self, node_id):
        return self._past.setdefault(node_id, [])

    def note(self, mark):
        """Keeps how an execution stands now; the last one of a node is what counts."""
        past = self.past(mark["node"])
        if past and past[-1]["exec"] == mark["exec"]:
            past[-1] = mark
        else:
            past.append(mark)

    def scope(self):
        with self._lock:
            return {"inputs": self.inputs, "context": self.context, "nodes": dict(self.outputs)}

    def resolved(self, node_id, outcome, attempts, outputs):
        with self._lock:
            if outputs is not None:
                self.outputs[node_id] = outputs
            self.trace.append({"node_id": node_id, "outcome": outcome, "attempts": attempts})

    def pause(self, seconds):
        sleep_until(self._halt, seconds)

    def cancel(self):
        self.cancelled = True
        self._halt.set()


class Core:
    """A workspace that is open."""

    def __init__(self, folder, host, incarnation=None):
        self.journal, self.state = Journal(folder, incarnation), State()
        self.attempts = Attempts(self.journal, self.state, host)
        self.actions, self.workflows, self.instances, self.by_key = {}, {}, {}, {}
        self._lock = threading.Lock()
        open_marks = {}
        for record in list(self.journal.records):
            self._replay(record, open_marks)
        for mark in list(open_marks.values()):
            instance = self.instances[mark["instance"]]
            self.attempts.recover(instance, instance.nodes[mark["node"]], mark)
        for instance in self.instances.values():
            if instance.over is None:
                threading.Thread(target=self._drive, args=(instance,), daemon=True).start()

    def _replay(self, record, open_marks):
        kind, instance = record["t"], self.instances.get(record.get("instance"))
        if kind == "open":
            return
        if kind == "put":
            self._keep(record)
        elif kind == "remove":
            self._drop(record)
        elif kind == "started":
            self._add(Instance(record))
        elif kind == "over":
            instance.over = record["answer"]
            instance.done.set()
        elif kind == "undone":
            self.state.apply(record["changes"])
            instance.undone = True
        elif kind == "undo":
            open_marks[record["of"]["exec"]] = record
        else:
            if kind == "pending":
                open_marks[record["exec"]] = record
            else:
                open_marks.pop(record["exec"], None)
            if kind == "committed":
                self.state.apply(record["changes"])
            if kind != "redone":
                words = {"status": kind, **({"result": record["outputs"]} if kind == "committed" else {})}
                instance.note({**record, **words, "effect": "unknown"})
            instance.in_doubt = instance.in_doubt or kind == "in_doubt"

    def _add(self, instance):
        self.instances[instance.id] = instance
        if instance.started.get("request_key") is not None:
            self.by_key[instance.started["request_key"]] = instance
        return instance

    def put(self, definitions):
        record = {"t": "put", "actions": definitions.get("actions", []), "workflows": definitions.get("workflows", [])}
        self.journal.append(record)
        self._keep(record)

    def _keep(self, record):
        for action in record["actions"]:
            self.actions[action["action_id"] + "@" + action["version"]] = action
        for workflow in record["workflows"]:
            self.workflows["%(name)s@%(version)s" % workflow["workflow"]] = workflow

    def remove(self, names):
        record = {"t": "remove", "actions": names.get("actions", []), "workflows": names.get("workflows", [])}
        for kept, gone in ((self.actions, record["actions"]), (self.workflows, record["workflows"])):
            if not all(name in kept for name in gone):
                raise Refused("not_found", "there is no such definition")
        self.journal.append(record)
        self._drop(record)

    def _drop(self, record):
        for kept, names in ((self.actions, record["actions"]), (self.workflows, record["workflows"])):
            for name in names:
                kept.pop(name, None)

    def start(self, params):
        """Starts an instance and gives its identifier; the same for a request_key that was used."""
        with self._lock:
            if params.get("request_key") in self.by_key:
                return self.by_key[params["request_key"]].id
            if params.get("dry_run"):
                raise Refused("unsupported", "no dry runs")
            workflow = params.get("workflow") or self.workflows.get(params.get("workflow_id"))
            if workflow is None:
                raise Refused("not_found", "no such workflow")
            started = {"t": "started", "instance": str(uuid.uuid4()), "workflow": workflow}
            started["actions"] = self._resolved(workflow, started["instance"])
            started["inputs"] = self._inputs(workflow, params.get("inputs", {}), started["instance"])
            for name in ("request_key", "agent_id", "max_parallel"):
                started[name] = params.get(name)
            started["context"] = params.get("context", {})
            return self._begin(started)

    def _begin(self, started):
        self.journal.append(started)
        instance = self._add(Instance(started))
        threading.Thread(target=self._drive, args=(instance,), daemon=True).start()
        return instance.id

    def _resolved(self, workflow, execution_id):
        """The contracts that an instance is bound to, by reference; refuses what cannot run."""
        own = [(a["action_id"], a["version"], a) for a in workflow.get("actions", [])]
        kept = [(a["action_id"], a["version"], a) for a in self.actions.values()]
        found = {}

        def look_up(reference):
            if reference not in found:
                found[reference] = resolve(reference, own, kept)
                if found[reference] is not None:
                    check_action(found[reference])
                    for undo in (found[reference].get("revert"), found[reference].get("compensation")):
                        if undo is not None:
                            look_up(undo)
            return found[reference]

        try:
            for node in workflow["nodes"]:
                if node["type"] not in ("action", "condition", "terminal") and node.get("handling") != "fail":
                    raise Unsupported("nodes of type " + node["type"])
                if node["type"] == "condition":
                    parse(node["expression"])
            for declared in workflow.get("inputs", {}).values():
                check_schema(declared.get("schema", True))
            defect = first_defect(workflow, look_up)
        except Invalid as error:
            defect = str(error)
        except Unsupported as error:
            raise Refused("unsupported", "this runtime does not have " + str(error)) from error
        if defect is not None:
            raise Refused("denied", defect, gate="verification", execution_id=execution_id)
        return {reference: action for reference, action in found.items() if action is not None}

    @staticmethod
    def _inputs(workflow, given, execution_id):
        inputs = dict(given)
        for name, declared in workflow.get("inputs", {}).items():
            if name not in inputs and "default" in declared:
                inputs[name] = declared["default"]
            missing = name not in inputs and declared.get("required", True)
            if missing or (name in inputs and not fits(declared.get("schema", True), inputs[name])):
                raise Refused("denied", "the input " + name, gate="execution", execution_id=execution_id)
        if set(inputs) - set(workflow.get("inputs", {})):
            raise Refused("denied", "an input that is not declared", gate="execution", execution_id=execution_id)
        return inputs

    def find(self, execution_id):
        if execution_id not in self.instances:
            raise Refused("not_found", "there is no instance " + execution_id)
        return self.instances[execution_id]

    def wait(self, execution_id, seconds):
        """Gives where an instance stands, at the latest after so many seconds."""
        instance = self.find(execution_id)
        instance.done.wait(seconds)
        return instance.over or {"status": "running", "trace": list(instance.trace)}

    def cancel(self, execution_id):
        self.find(execution_id).cancel()

    def resume(self, execution_id):
        """Gives the new instance that goes on behind what an ended one has committed; None where it runs."""
        with self._lock:
            old = self.find(execution_id)
            if old.over is None:
                return None
            resumed = [one for one in self.instances.values() if one.started.get("resumes") == old.id and one.over is None]
            if old.over["status"] in ("completed", "in_doubt") or old.undone or resumed:
                raise Refused("illegal_state", "an instance that is %s is not resumed" % old.over["status"])
            carried = dict(old.started.get("carried", {}))
            for node_id, node in old.nodes.items():
                past = old.past(node_id)
                if past and past[-1]["status"] == "committed":
                    carried[node_id] = self.attempts.outputs(old, node, past[-1]["result"])
            started = {**old.started, "instance": str(uuid.uuid4()), "request_key": None, "resumes": old.id, "carried": carried}
            return self._begin(started)

    def close(self):
        self.journal.close()

    def _drive(self, instance):
        """Fires nodes until none is ready or running, and ends the instance."""
        try:
            self._end(instance, *Firing(self, instance).run())
        except RuntimeError:
            pass  # the workspace was closed meanwhile

    def _end(self, instance, marked, reached):
        trace = list(instance.trace)
        if instance.in_doubt:
            instance.over = {"status": "in_doubt", "trace": trace}
            instance.done.set()
            return
        answer = {"status": "failed", "trace": trace}
        if instance.cancelled:
            answer["error"] = {"error_class": "E0", "detail": "cancelled"}
        elif marked:
            node_id = min(marked, key=lambda one: one.encode("utf-16-be"))
            answer["error"] = {"error_class": marked[node_id].error_class, "detail": marked[node_id].detail, "node_id": node_id}
        elif not reached:
            answer["error"] = {"error_class": "E4", "detail": "no terminal was reached"}
        else:
            answer["status"] = max(reached, key=WORST.index)
        if answer["status"] == "completed":
            try:
                answer["outputs"] = evaluate_mapping(instance.workflow.get("outputs", {}), instance.scope())
            except (MappingError, ValueError) as error:
                answer.update(status="failed", error={"error_class": "E4", "detail": str(error)})
        self.journal.append({"t": "over", "instance": instance.id, "answer": answer})
        instance.over = answer
        instance.done.set()


class Firing:
    """Which nodes are ready, by the edges that are taken and dead (chapter 7)."""

    def __init__(self, core, instance):
        self.core, self.instance = core, instance
        self.ins = {node_id: [] for node_id in instance.nodes}
        self.outs = {node_id: [] for node_id in instance.nodes}
        for edge in instance.workflow["edges"]:
            self.outs[edge["from_node"]].append(edge)
            self.ins[edge["to_node"]].append(edge)
        self.open = {node_id: len(edges) for node_id, edges in self.ins.items()}
        self.taken = dict.fromkeys(instance.nodes, 0)
        self.marked, self.reached, self.failures = {}, [], {}
        self.changed, self.running, self.ready = threading.Condition(), 0, []

    def run(self):
        free = [node_id for node_id, edges in self.ins.items() if not edges]
        self.ready.append(self.instance.workflow["workflow"].get("start") or free[0])
        with self.changed:
            while self.ready or self.running:
                if not self.ready:
                    self.changed.wait()
                    continue
                node = self.instance.nodes[self.ready.pop(0)]
                if node["type"] != "action":
                    self._at_once(node)
                elif node["node_id"] in self.instance.started.get("carried", {}):
                    outputs = self.instance.started["carried"][node["node_id"]]
                    self._resolve(node["node_id"], "success", 0, outputs, None)
                else:
                    self.running += 1
                    threading.Thread(target=self._execute, args=(node,), daemon=True).start()
        return self.marked, self.reached

    def _execute(self, node):
        try:
            result = self.core.attempts.run(self.instance, node)
        except RuntimeError:
            result = None, 0, None, None  # the workspace was closed meanwhile
        with self.changed:
            self.running -= 1
            outcome, attempts, outputs, failure = result
            if outcome == "in_doubt":
                self.instance.resolved(node["node_id"], outcome, attempts, None)
            elif outcome is not None:
                self._resolve(node["node_id"], outcome, attempts, outputs, failure)
            self.changed.notify()

    def _at_once(self, node):
        if self.instance.stopping:
            return
        node_id = node["node_id"]
        if node["type"] == "error":
            taken = [edge["from_node"] for edge in self.ins[node_id] if edge["from_node"] in self.failures]
            first = min(taken, key=lambda one: one.encode("utf-16-be"))
            self._resolve(node_id, "failure", 0, None, self.failures[first])
            return
        if node["type"] == "terminal":
            self.reached.append(node["status"])
            self._resolve(node_id, node["status"], 0, None, None)
            return
        labels = {edge["label"] for edge in self.outs[node_id]}
        scope = self.instance.scope()
        try:
            value = evaluate(parse(node["expression"]), expression_scope(scope["inputs"], scope["context"], scope["nodes"]))
        except CelError:
            value = None
        word = str(value).lower() if isinstance(value, bool) else value
        if isinstance(word, str) and (word in labels or "default" in labels):
            self._resolve(node_id, word if word in labels else "default", 0, None, None)
        else:
            self._resolve(node_id, "failure", 0, None, Failure("E4", "the condition chooses no label"))

    def _resolve(self, node_id, outcome, attempts, outputs, failure):
        """Resolves a node, and skips what can no longer be reached, without recursion."""
        handled = any(edge["label"] in ("failure", "always") for edge in self.outs[node_id])
        at_once = self.instance.nodes[node_id]["type"] in ("condition", "error")
        all_dead = failure is not None and (at_once or not handled or failure.error_class == "E5")
        if all_dead:
            self.marked[node_id] = failure
        elif failure is not None:
            self.failures[node_id] = failure
        pending = [(node_id, outcome, attempts, outputs, all_dead)]
        while pending:
            node_id, outcome, attempts, outputs, all_dead = pending.pop()
            self.instance.resolved(node_id, outcome, attempts, outputs)
            for edge in self.outs[node_id]:
                target = edge["to_node"]
                if outcome != "skipped" and not all_dead and edge["label"] in (outcome, "always"):
                    self.taken[target] += 1
                self.open[target] -= 1
                if self.open[target] == 0:
                    joins_all = len(self.ins[target]) == 1 or self.instance.nodes[target].get("join_type") == "AND"
                    if self.taken[target] >= (len(self.ins[target]) if joins_all else 1):
                        self.ready.append(target)
                    else:
                        pending.append((target, "skipped", 0, None, False))
