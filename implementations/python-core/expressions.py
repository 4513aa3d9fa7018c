"""Expressions of chapter 5: the part of CEL without bytes, times and dyn.

Numbers of JSON are floats here, integers of an expression are ints. Unsupported is raised when a text is read that this
runtime does not evaluate; CelError where an evaluation has no value.
"""

import re

TOKEN = re.compile(
    r"\s*(?:(?P<number>\d+\.\d+(?:[eE][+-]?\d+)?|\d+[eE][+-]?\d+|0x[0-9a-fA-F]+|\d+)|(?P<name>[A-Za-z_]\w*)"
    r"|(?P<text>\"(?:[^\"\\]|\\.)*\"|'(?:[^'\\]|\\.)*')|(?P<sign>&&|\|\||[<>=!]=|[-+*/%<>!?:.,(){}\[\]]))"
)
BINARY = [("||",), ("&&",), ("==", "!=", "<", "<=", ">", ">=", "in"), ("+", "-"), ("*", "/", "%")]
MACROS = {"all", "exists", "exists_one", "map", "filter"}
METHODS = {"contains", "startsWith", "endsWith", "size"}
FUNCTIONS = {"size", "int", "double", "bool", "string"}


class CelError(Exception):
    pass


class Unsupported(Exception):
    pass


class Invalid(Exception):
    """A text that is none of the expressions of the specification."""


ELSEWHERE = {"uint", "bytes", "type", "dyn", "timestamp", "duration"}


def _missing(kind, name):
    known = name in ELSEWHERE or name.startswith("get")
    return Unsupported("the %s %s" % (kind, name)) if known else Invalid("there is no %s %s" % (kind, name))


def parse(source):
    """Gives the syntax tree of an expression."""
    tokens, at = [], 0
    while source[at:].strip():
        found = TOKEN.match(source, at)
        if found is None:
            raise Unsupported("cannot read the expression " + source)
        tokens.append((found.lastgroup, found.group(found.lastgroup)))
        at = found.end()
    reader = _Reader(tokens)
    tree = reader.ternary()
    if reader.at < len(tokens):
        raise Unsupported("cannot read the expression " + source)
    return tree


class _Reader:
    def __init__(self, tokens):
        self.tokens, self.at = [*tokens, ("end", None)], 0

    def take(self, *signs):
        kind, text = self.tokens[self.at]
        if kind in ("sign", "name") and text in signs:
            self.at += 1
            return text
        return None

    def expect(self, sign):
        if self.take(sign) is None:
            raise Unsupported("expected %s before %s" % (sign, self.tokens[self.at][1]))

    def ternary(self):
        condition = self.binary(0)
        if not self.take("?"):
            return condition
        yes = self.binary(0)
        self.expect(":")
        return ("if", condition, yes, self.ternary())

    def binary(self, level):
        if level == len(BINARY):
            return self.unary()
        left = self.binary(level + 1)
        while (sign := self.take(*BINARY[level])) is not None:
            left = (sign, left, self.binary(level + 1))
        return left

    def unary(self):
        sign = self.take("!", "-")
        return self.member() if sign is None else ("not" if sign == "!" else "negative", self.unary())

    def member(self):
        tree = self.primary()
        while (sign := self.take(".", "[")) is not None:
            if sign == "[":
                tree = ("index", tree, self.ternary())
                self.expect("]")
                continue
            name = self.name()
            tree = ("call", name, tree, self.arguments(")")) if self.take("(") else ("select", tree, name)
            if tree[0] == "call" and name not in MACROS | METHODS:
                raise _missing("method", name)
        return tree

    def primary(self):
        kind, text = self.tokens[self.at]
        if kind == "end":
            raise Unsupported("an expression that is cut off")
        self.at += 1
        if kind == "number":
            return ("value", int(text, 0) if re.fullmatch(r"\d+|0x\w+", text) else float(text))
        if kind == "text":
            return ("value", re.sub(r"\\(u[0-9a-fA-F]{4}|.)", _escape, text[1:-1]))
        if text == "(":
            tree = self.ternary()
            self.expect(")")
            return tree
        if text == "[":
            return ("list", self.arguments("]"))
        if text == "{":
            return ("map", self.entries())
        if text in ("true", "false", "null"):
            return ("value", {"true": True, "false": False, "null": None}[text])
        if kind != "name":
            raise Unsupported("cannot read " + str(text))
        if not self.take("("):
            return ("name", text)
        if text not in FUNCTIONS | {"has"}:
            raise _missing("function", text)
        return ("call", text, None, self.arguments(")"))

    def name(self):
        kind, text = self.tokens[self.at]
        if kind != "name":
            raise Unsupported("expected a name before " + str(text))
        self.at += 1
        return text

    def arguments(self, end):
        found = []
        while not self.take(end):
            found.append(self.ternary())
            if not self.take(","):
                self.expect(end)
                break
        return found

    def entries(self):
        found = []
        while not self.take("}"):
            key = self.ternary()
            self.expect(":")
            found.append((key, self.ternary()))
            if not self.take(","):
                self.expect("}")
                break
        return found


def _escape(found):
    word = found.group(1)
    return chr(int(word[1:], 16)) if len(word) == 5 else {"n": "\n", "t": "\t", "r": "\r"}.get(word, word)


def free_names(tree, bound=()):
    """Gives the variables that a tree reads."""
    if tree[0] == "name":
        return set() if tree[1] in bound else {tree[1]}
    if tree[0] == "call" and tree[1] in MACROS and tree[2] is not None:
        inner = (*bound, tree[3][0][1])
        return free_names(tree[2], bound).union(*(free_names(part, inner) for part in tree[3][1:]))
    parts = [part for part in tree[1:] if isinstance(part, tuple)]
    for several in (part for part in tree[1:] if isinstance(part, list)):
        parts += [one for entry in several for one in (entry if tree[0] == "map" else (entry,))]
    return set().union(*(free_names(part, bound) for part in parts))


def to_cel(value):
    """Gives a JSON value as expressions see it: every number is a float."""
    if isinstance(value, bool) or value is None or isinstance(value, str):
        return value
    if isinstance(value, list):
        return [to_cel(item) for item in value]
    return {key: to_cel(item) for key, item in value.items()} if isinstance(value, dict) else float(value)


def evaluate(tree, scope):
    """Gives the value of a tree, with the variables of a scope."""
    kind = tree[0]
    if kind == "value":
        return tree[1]
    if kind == "name":
        if tree[1] not in scope:
            raise CelError("no variable " + tree[1])
        return scope[tree[1]]
    if kind in ("&&", "||"):
        return _either(tree[1:], kind == "||", lambda part: evaluate(part, scope))
    if kind == "if":
        return evaluate(tree[2] if _bool(evaluate(tree[1], scope)) else tree[3], scope)
    if kind == "list":
        return [evaluate(item, scope) for item in tree[1]]
    if kind == "map":
        return {evaluate(key, scope): evaluate(item, scope) for key, item in tree[1]}
    if kind == "call":
        return _call(tree, scope)
    if kind == "select":
        return _select(evaluate(tree[1], scope), tree[2])
    operands = [evaluate(part, scope) for part in tree[1:]]
    return OPERATORS[kind](*operands)


def holds(source, scope):
    """Tells whether a predicate is true; an error and any other value are not."""
    try:
        return evaluate(parse(source), scope) is True
    except CelError:
        return False


def _either(parts, decides, value_of):
    """An operand that decides prevails over an error in another one."""
    error = None
    for part in parts:
        try:
            if _bool(value_of(part)) == decides:
                return decides
        except CelError as raised:
            error = error or raised
    if error is not None:
        raise error
    return not decides


def _call(tree, scope):
    _, name, target, arguments = tree
    if name == "has":
        select = arguments[0]
        owner = evaluate(select[1], scope)
        if not isinstance(owner, dict):
            raise CelError("has asks for a field of a map")
        return select[2] in owner
    if target is not None and name in MACROS:
        return _macro(name, evaluate(target, scope), arguments, scope)
    values = [evaluate(part, scope) for part in ([target] if target is not None else []) + arguments]
    if name in ("contains", "startsWith", "endsWith"):
        if not all(isinstance(value, str) for value in values):
            raise CelError(name + " is for strings")
        text, part = values
        return {"contains": part in text, "startsWith": text.startswith(part), "endsWith": text.endswith(part)}[name]
    return _convert(name, values[0])


def _macro(name, owner, arguments, scope):
    if not isinstance(owner, (list, dict)):
        raise CelError(name + " is for lists and maps")
    variable = arguments[0][1]

    def at(item, tree):
        return evaluate(tree, {**scope, variable: item})

    if name in ("all", "exists"):
        return _either(list(owner), name == "exists", lambda item: at(item, arguments[1]))
    if name == "map":
        chosen = [item for item in owner if len(arguments) == 2 or _bool(at(item, arguments[1]))]
        return [at(item, arguments[-1]) for item in chosen]
    chosen = [item for item in owner if _bool(at(item, arguments[1]))]
    return chosen if name == "filter" else len(chosen) == 1


def _convert(name, value):
    if name == "size" and isinstance(value, (str, list, dict)):
        return len(value)
    try:
        if name == "int" and isinstance(value, (int, float, str)) and not isinstance(value, bool):
            return int(value)
        if name == "double" and isinstance(value, (int, float, str)) and not isinstance(value, bool):
            return float(value)
        if name == "bool" and (isinstance(value, bool) or value in ("true", "false")):
            return value in (True, "true")
        if name == "string" and isinstance(value, (str, bool)):
            return value if isinstance(value, str) else str(value).lower()
    except (ValueError, OverflowError) as error:
        raise CelError(str(error)) from error
    raise CelError("%s of such a value" % name)


def _bool(value):
    if not isinstance(value, bool):
        raise CelError("no boolean")
    return value


def _select(owner, name):
    if not isinstance(owner, dict) or name not in owner:
        raise CelError("no such field " + name)
    return owner[name]


def _index(owner, key):
    if isinstance(owner, dict) and isinstance(key, str) and key in owner:
        return owner[key]
    if isinstance(owner, list) and isinstance(key, (int, float)) and not isinstance(key, bool) and key == int(key):
        if 0 <= key < len(owner):
            return owner[int(key)]
    raise CelError("no such index")


def _number(value):
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def same(a, b):
    """Tells whether two values are equal; those of different types are not."""
    if _number(a) and _number(b):
        return a == b
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and all(same(x, y) for x, y in zip(a, b))
    if isinstance(a, dict) and isinstance(b, dict):
        return a.keys() == b.keys() and all(same(a[key], b[key]) for key in a)
    return type(a) is type(b) and a == b


def _ordered(decide):
    def compare(a, b):
        alike = (_number(a) and _number(b)) or (type(a) is type(b) and isinstance(a, (str, bool)))
        if not alike:
            raise CelError("these do not compare")
        return decide(a, b)

    return compare


def _arithmetic(sign):
    def compute(a, b):
        if sign == "+" and type(a) is type(b) and isinstance(a, (str, list)):
            return a + b
        if not _number(a) or type(a) is not type(b):
            raise CelError("no %s of these" % sign)
        try:
            result = {"+": a + b, "-": a - b, "*": a * b}[sign] if sign in "+-*" else _divided(sign, a, b)
        except OverflowError as error:
            raise CelError(str(error)) from error
        if isinstance(result, int) and not -(2**63) <= result < 2**63:
            raise CelError("beyond 64 bits")
        return result

    return compute


def _divided(sign, a, b):
    if isinstance(a, float):
        if sign == "%":
            raise Unsupported("the remainder of doubles")
        return a / b if b != 0 else float("nan") if a == 0 or a != a else float("inf") * (1 if a > 0 else -1)
    if b == 0:
        raise CelError("division by zero")
    quotient = abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)
    return quotient if sign == "/" else a - b * quotient


def _contained(item, owner):
    if isinstance(owner, list):
        return any(same(item, other) for other in owner)
    if isinstance(owner, dict):
        return isinstance(item, str) and item in owner
    raise CelError("in is for lists and maps")


def _negative(value):
    if not _number(value):
        raise CelError("no number")
    return -value


OPERATORS = {
    "not": lambda value: not _bool(value),
    "negative": _negative,
    "index": _index,
    "in": _contained,
    "==": same,
    "!=": lambda a, b: not same(a, b),
    "<": _ordered(lambda a, b: a < b),
    "<=": _ordered(lambda a, b: a <= b),
    ">": _ordered(lambda a, b: a > b),
    ">=": _ordered(lambda a, b: a >= b),
    **{sign: _arithmetic(sign) for sign in "+-*/%"},
}
