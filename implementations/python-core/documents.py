"""What is read off documents: mappings, schemas of contracts, references, and the shape of a graph."""

import json
import re

from expressions import Unsupported, free_names, parse, to_cel

PATH = re.compile(r"(?:[^.{}$ \t\n\r?]|\?(?!\?))+(?:\.(?:[^.{}$ \t\n\r?]|\?(?!\?))+)*")
SPACE = re.compile(r"[ \t\n\r]*")


class MappingError(Exception):
    pass


def evaluate_mapping(mapping, scope):
    """Gives the value of a mapping; a string that is exactly one reference keeps the type of what it names."""
    if isinstance(mapping, str):
        parts = _parts(mapping)
        if len(parts) == 1 and not isinstance(parts[0], str):
            return _reference(parts[0], scope)
        return "".join(part if isinstance(part, str) else _text(_reference(part, scope)) for part in parts)
    if isinstance(mapping, list):
        return [evaluate_mapping(item, scope) for item in mapping]
    return {key: evaluate_mapping(item, scope) for key, item in mapping.items()} if isinstance(mapping, dict) else mapping


def _text(value):
    return value if isinstance(value, str) else canonical(value)


def _parts(template):
    parts, text, at = [], "", 0
    while at < len(template):
        if template.startswith("$${", at):
            text, at = text + "${", at + 3
        elif template.startswith("${", at):
            reference, at = _read_reference(template, at + 2)
            parts += [text, reference] if text else [reference]
            text = ""
        else:
            text, at = text + template[at], at + 1
    return [*parts, text] if text or not parts else parts


def _read_reference(template, at):
    path = PATH.match(template, SPACE.match(template, at).end())
    if path is None:
        raise MappingError("no reference in " + template)
    at = SPACE.match(template, path.end()).end()
    fallback = None
    if template.startswith("??", at):
        at = SPACE.match(template, at + 2).end()
        if re.match(r"[\"\[{\-0-9]|true|false|null", template[at:]):
            value, end = json.JSONDecoder().raw_decode(template, at)
            fallback = ("value", value)
        else:
            found = PATH.match(template, at)
            if found is None:
                raise MappingError("no default in " + template)
            fallback, end = ("path", found.group()), found.end()
        at = SPACE.match(template, end).end()
    if not template.startswith("}", at):
        raise MappingError("no end of a reference in " + template)
    return (path.group(), fallback), at + 1


def _reference(reference, scope):
    path, fallback = reference
    try:
        return _look_up(path, scope)
    except MappingError:
        if fallback is None:
            raise
        return fallback[1] if fallback[0] == "value" else _look_up(fallback[1], scope)


def _look_up(path, scope):
    root, *steps = path.split(".")
    if root == "nodes":
        if len(steps) < 2 or steps[1] != "outputs" or steps[0] not in scope["nodes"]:
            raise MappingError(path + " leads to nothing")
        value, steps = scope["nodes"][steps[0]], steps[2:]
    elif root in ("inputs", "context", "result") and root in scope:
        value = scope[root]
    else:
        raise MappingError(path + " leads to nothing")
    for step in steps:
        if isinstance(value, dict) and step in value:
            value = value[step]
        elif isinstance(value, list) and re.fullmatch("0|[1-9][0-9]*", step) and int(step) < len(value):
            value = value[int(step)]
        else:
            raise MappingError(path + " leads to nothing")
    return value


def canonical(value):
    """Gives the canonical text of a JSON value (RFC 8785)."""
    if isinstance(value, dict):
        keys = sorted(value, key=lambda key: key.encode("utf-16-be", "surrogatepass"))
        return "{" + ",".join(json.dumps(key, ensure_ascii=False) + ":" + canonical(value[key]) for key in keys) + "}"
    if isinstance(value, list):
        return "[" + ",".join(canonical(item) for item in value) + "]"
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return _number_text(float(value))
    return json.dumps(value, ensure_ascii=False)


def _number_text(number):
    if number == 0:
        return "0"
    mantissa, exponent = ("%r" % number).lower(), 0
    if "e" in mantissa:
        mantissa, exponent = mantissa.split("e")[0], int(mantissa.split("e")[1])
    sign, mantissa = ("-", mantissa[1:]) if mantissa.startswith("-") else ("", mantissa)
    whole, _, fraction = mantissa.partition(".")
    fraction = fraction.rstrip("0") if fraction != "0" else ""
    digits = (whole + fraction).lstrip("0")
    point = len(whole) + exponent - (len(whole + fraction) - len((whole + fraction).lstrip("0")))
    digits = digits.rstrip("0") or "0"
    if 0 < point <= 21:
        padded = digits.ljust(point, "0")
        return sign + padded[:point] + ("." + padded[point:] if len(padded) > point else "")
    if -6 < point <= 0:
        return sign + "0." + "0" * -point + digits
    power = "e%+d" % (point - 1)
    return sign + digits[0] + ("." + digits[1:] if len(digits) > 1 else "") + power


TYPES = {
    "object": lambda value: isinstance(value, dict),
    "array": lambda value: isinstance(value, list),
    "string": lambda value: isinstance(value, str),
    "boolean": lambda value: isinstance(value, bool),
    "null": lambda value: value is None,
    "number": lambda value: isinstance(value, (int, float)) and not isinstance(value, bool),
    "integer": lambda value: isinstance(value, (int, float)) and not isinstance(value, bool) and value == int(value),
}
KEYWORDS = {"type", "properties", "required", "items", "enum", "const", "additionalProperties", "minimum", "maximum"}


def fits(schema, value):
    """Tells whether a value fits a JSON Schema of the keywords that this runtime knows."""
    if isinstance(schema, bool):
        return schema
    wanted = schema.get("type", [])
    wanted = [wanted] if isinstance(wanted, str) else wanted
    if wanted and not any(TYPES[name](value) for name in wanted):
        return False
    if "enum" in schema and not any(canonical(value) == canonical(one) for one in schema["enum"]):
        return False
    if "const" in schema and canonical(value) != canonical(schema["const"]):
        return False
    if TYPES["number"](value) and not schema.get("minimum", value) <= value <= schema.get("maximum", value):
        return False
    if isinstance(value, list):
        return all(fits(schema.get("items", True), item) for item in value)
    if not isinstance(value, dict):
        return True
    own = schema.get("properties", {})
    rest = schema.get("additionalProperties", True)
    return all(name in value for name in schema.get("required", [])) and all(
        fits(own.get(name, rest), item) for name, item in value.items()
    )


def check_schema(schema):
    """Raises Unsupported for a schema with a keyword that this runtime does not know."""
    if isinstance(schema, bool):
        return
    if set(schema) - KEYWORDS - {"title", "description", "$schema"}:
        raise Unsupported("the keywords " + ", ".join(sorted(set(schema) - KEYWORDS)))
    for part in [*schema.get("properties", {}).values(), schema.get("items", True), schema.get("additionalProperties", True)]:
        check_schema(part)


def check_action(action):
    """Raises Unsupported for a contract that this runtime cannot keep."""
    for name in ("input_schema", "output_schema"):
        check_schema(action.get(name, True))
    for condition in [*action.get("preconditions", []), *action.get("postconditions", [])]:
        parse(condition["expression"])
    if "success_condition" in action:
        parse(action["success_condition"])


VERSION = re.compile(r"(\d+)\.(\d+)\.(\d+)(?:-([0-9A-Za-z.-]+))?(?:\+[0-9A-Za-z.-]+)?$")
PARTIAL = re.compile(r"(\^|~|=|)(\d+)(?:\.(\d+|x|X|\*))?(?:\.(\d+|x|X|\*))?$")


def resolve(reference, *places):
    """Gives the highest definition that a reference names, from the first place that has one; None where none has."""
    name, _, range_text = reference.partition("@")
    for place in places:
        found = [one for one in place if one[0] == name and _satisfies(one[1], range_text)]
        if found:
            return max(found, key=lambda one: (_numbers(one[1]), one[1]))[2]
    return None


def _numbers(version):
    return tuple(int(part) for part in VERSION.match(version).groups()[:3])


def _satisfies(version, text):
    parsed = VERSION.match(version)
    if parsed is None or parsed.group(4) is not None:
        if text.lstrip("=") != version and parsed is not None:
            return False
        return parsed is not None
    if text in ("*", "x", "X", ""):
        return True
    found = PARTIAL.match(text)
    if found is None:
        if text == version:
            return True
        raise Unsupported("the range " + text)
    sign, *parts = found.groups()
    known = [int(part) for part in parts if part is not None and part not in "xX*"]
    low = tuple((known + [0, 0])[:3])
    if sign == "^":
        first = next((at for at, part in enumerate(known) if part > 0), len(known) - 1)
        keep = known[: first + 1]
    else:
        keep = known[:2] if sign == "~" else known
    return _numbers(version) >= low and list(_numbers(version)[: len(keep)]) == keep


def first_defect(workflow, resolved):
    """Gives why the graph of a workflow cannot run, or None; `resolved` tells what a reference leads to."""
    ids = [node["node_id"] for node in workflow["nodes"]]
    outs = {node_id: [] for node_id in ids}
    left = {node_id: 0 for node_id in ids}
    labels = {node_id: set() for node_id in ids}
    for edge in workflow["edges"]:
        if edge["from_node"] not in outs or edge["to_node"] not in outs:
            return "an edge leads to a node that does not exist"
        outs[edge["from_node"]].append(edge["to_node"])
        labels[edge["from_node"]].add(edge["label"])
        left[edge["to_node"]] += 1
    for node in workflow["nodes"]:
        if node["type"] == "action":
            action = resolved(node["action_def"])
            undos = [] if action is None else [action[name] for name in ("revert", "compensation") if name in action]
            if action is None or any(resolved(undo) is None for undo in undos):
                return node["action_def"] + " does not resolve, or what undoes it"
            if not labels[node["node_id"]] & {"success", "always"}:
                return "a path ends in " + node["node_id"]
        if node["type"] == "condition" and not free_names(parse(node["expression"])) <= {"inputs", "context", "nodes"}:
            return "the expression of %s reads what is not recorded" % node["node_id"]
        if node["type"] not in ("terminal", "error") and not outs[node["node_id"]]:
            return "a path ends in " + node["node_id"]
    free = [node_id for node_id in ids if left[node_id] == 0]
    if "start" not in workflow["workflow"] and len(free) != 1:
        return "there is not one start"
    seen = 0
    while free:
        seen += 1
        for target in outs[free.pop()]:
            left[target] -= 1
            if left[target] == 0:
                free.append(target)
    return None if seen == len(ids) else "the graph has a cycle"


def expression_scope(inputs, context, nodes, result=None, exit_code=None):
    """Gives the variables of an expression."""
    scope = {"inputs": to_cel(inputs), "context": to_cel(context)}
    if nodes is not None:
        scope["nodes"] = {node_id: {"outputs": to_cel(outputs)} for node_id, outputs in nodes.items()}
    if result is not None:
        scope["result"] = to_cel(result)
    if exit_code is not None:
        scope["exit_code"] = float(exit_code)
    return scope
