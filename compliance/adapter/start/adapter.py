"""An adapter to begin with. It runs chains of actions in memory: put your runtime in place of Instance.

Check it with: ars-compliance doctor -- python3 adapter.py
"""

import threading
import traceback
import uuid

from ars_adapter import Adapter, AdapterError

adapter = Adapter("my-runtime", "0.1.0", limits={"max_nodes": 100, "max_parallel": 1})
registry, instances, by_key = {}, {}, {}


class Instance(threading.Thread):
    """One run of a workflow. Your runtime does this, and calls adapter.invoke for every attempt of an action."""

    def __init__(self, workflow, inputs, context):
        super().__init__(daemon=True)
        self.id = str(uuid.uuid4())
        self.workflow, self.inputs, self.context = workflow, inputs, context
        self.status, self.error, self.trace, self.cancelled = "running", None, [], False

    def run(self):
        try:
            self.follow()
        except Exception as error:  # an instance whose thread dies must not look as if it were running
            traceback.print_exc()
            self.error = {"error_class": "E0", "detail": repr(error)}
            self.status = "failed"

    def follow(self):
        nodes = {node["node_id"]: node for node in self.workflow["nodes"]}
        targets = {edge["to_node"] for edge in self.workflow["edges"]}
        node = nodes[next(id for id in nodes if id not in targets)]
        while node["type"] == "action":
            outcome = "failure" if self.cancelled else self.execute(node)
            if outcome == "failure":
                self.status = "failed"
                return
            edges = [e for e in self.workflow["edges"] if e["from_node"] == node["node_id"] and e["label"] in (outcome, "always")]
            node = nodes[edges[0]["to_node"]]
        self.trace.append({"node_id": node["node_id"], "outcome": node["status"], "attempts": 0})
        self.status = node["status"]

    def execute(self, node):
        action_id = node["action_def"].split("@")[0]
        known = [*self.workflow.get("actions", []), *registry.values()]
        result = adapter.invoke(
            {
                "execution_id": str(uuid.uuid4()),
                "idempotency_key": self.id + "/" + node["node_id"],
                "action_id": action_id,
                "version": next(a["version"] for a in known if a["action_id"] == action_id),
                "node_id": node["node_id"],
                "instance_id": self.id,
                "attempt": 1,
                "inputs": node.get("input_mapping", {}),
                "context": self.context,
            }
        )
        outcome = "failure" if "error" in result else "success"
        if "error" in result:
            self.error = {"error_class": result["error"]["error_class"], "detail": result["error"]["detail"]}
        self.trace.append({"node_id": node["node_id"], "outcome": outcome, "attempts": 1})
        return outcome


def is_chain(workflow):
    edges = workflow["edges"]
    sources = {edge["from_node"] for edge in edges}
    if len(sources) < len(edges) or any(edge["label"] not in ("success", "always") for edge in edges):
        return False
    return all(
        node["type"] == "terminal" or (node["type"] == "action" and node["node_id"] in sources) for node in workflow["nodes"]
    )


def find(params):
    if params["execution_id"] not in instances:
        raise AdapterError("not_found", "there is no instance " + params["execution_id"])
    return instances[params["execution_id"]]


@adapter.on("workspace/open")
def open_workspace(params):
    return {"recovery": None}


@adapter.on("workspace/close")
def close_workspace(params):
    for known in (registry, instances, by_key):
        known.clear()


@adapter.on("registry/put")
def put(params):
    registry.update({a["action_id"] + "@" + a["version"]: a for a in params.get("actions", [])})


@adapter.on("registry/remove")
def remove(params):
    for name in params.get("actions", []):
        registry.pop(name, None)


@adapter.on("workflow/start")
def start(params):
    if params.get("request_key") in by_key:
        return {"execution_id": by_key[params["request_key"]]}
    workflow = params.get("workflow")
    if workflow is None or not is_chain(workflow):
        raise AdapterError("unsupported", "only chains of actions that come with the start")
    instance = Instance(workflow, params.get("inputs", {}), params.get("context", {}))
    instances[instance.id] = instance
    if "request_key" in params:
        by_key[params["request_key"]] = instance.id
    instance.start()
    return {"execution_id": instance.id}


@adapter.on("workflow/wait")
def wait(params):
    instance = find(params)
    instance.join(params["budget_ms"] / 1000)
    if instance.is_alive():
        return {"status": "running", "trace": []}
    answer = {"status": instance.status, "trace": instance.trace}
    if instance.status == "completed":
        answer["outputs"] = {}
    if instance.error is not None:
        answer["error"] = instance.error
    return answer


@adapter.on("workflow/cancel")
def cancel(params):
    find(params).cancelled = True


@adapter.on("workflow/resume")
def resume(params):
    find(params)


adapter.serve()
