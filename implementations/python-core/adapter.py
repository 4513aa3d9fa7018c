"""The runtime of core.py as the compliance suite drives it."""

from ars_adapter import Adapter, AdapterError
from core import Core, Refused
from journal import Unopened

adapter = Adapter("python-core", "1.0.0", limits={"max_nodes": 1000, "max_parallel": 8})
workspace = {}


class Host:
    """The suite, which hosts the actions."""

    invoke = staticmethod(adapter.invoke)
    probe = staticmethod(adapter.probe)
    unwanted = staticmethod(adapter.unwanted)


def serves(method):
    """Makes a function the handler of a method: it is given the open workspace, and its refusals become error answers."""

    def register(handler):
        @adapter.on(method)
        def answer(params):
            if "core" not in workspace:
                raise AdapterError("illegal_state", "no workspace is open")
            try:
                return handler(workspace["core"], params)
            except Refused as refused:
                raise AdapterError(refused.kind, str(refused), **refused.data) from refused

        return handler

    return register


@adapter.on("workspace/open")
def open_workspace(params):
    try:
        workspace["core"] = Core(params["workspace_dir"], Host, params["incarnation"])
    except Unopened as unopened:
        raise AdapterError(unopened.kind, str(unopened)) from unopened
    return {"recovery": None}


@serves("workspace/close")
def close_workspace(core, params):
    workspace.pop("core").close()


@serves("registry/put")
def put(core, params):
    core.put(params)


@serves("registry/remove")
def remove(core, params):
    core.remove(params)


@serves("workflow/start")
def start(core, params):
    return {"execution_id": core.start(params)}


@serves("workflow/wait")
def wait(core, params):
    return core.wait(params["execution_id"], params["budget_ms"] / 1000)


@serves("workflow/cancel")
def cancel(core, params):
    core.cancel(params["execution_id"])


@serves("workflow/resume")
def resume(core, params):
    resumed = core.resume(params["execution_id"])
    return {} if resumed is None else {"execution_id": resumed}


adapter.serve()
