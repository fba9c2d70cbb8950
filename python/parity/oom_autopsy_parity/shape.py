"""Checks a value against a JSON Schema, as far as schemas/fixture.schema.json uses the language, without a
dependency. (src/parity/fixture.ts reads the same file before the step.)"""

from __future__ import annotations

import re
from typing import Any

_TYPES: dict[str, Any] = {"object": dict, "array": list, "string": str, "null": type(None), "boolean": bool}


def _is(value: Any, kind: str) -> bool:
    if kind == "integer":
        return isinstance(value, int) and not isinstance(value, bool)
    return isinstance(value, _TYPES[kind])


def problem(value: Any, schema: dict[str, Any], root: dict[str, Any], at: str = "") -> str | None:
    """What is wrong first, with its place; None when nothing is."""
    if "$ref" in schema:
        schema = root["$defs"][schema["$ref"].rpartition("/")[2]]
    if "oneOf" in schema:
        found = [problem(value, one, root, at) for one in schema["oneOf"]]
        # The deepest place belongs to the alternative that was meant.
        return (
            None
            if None in found
            else max((p for p in found if p), key=lambda p: p.partition(" is ")[0].count("."))
        )
    if "const" in schema and (type(value), value) != (type(schema["const"]), schema["const"]):
        return f"{at} is not {schema['const']!r}"
    if "enum" in schema and value not in schema["enum"]:
        return f"{at} is none of {', '.join(map(str, schema['enum']))}"
    if "type" in schema and not _is(value, schema["type"]):
        return f"{at} is no {schema['type']}"
    if isinstance(value, str):
        if "pattern" in schema and not re.search(schema["pattern"], value):
            return f"{at} is {value[:60]!r}"
        if len(value) > schema.get("maxLength", len(value)):
            return f"{at} is longer than {schema['maxLength']} characters"
    elif isinstance(value, dict):
        return _of_object(value, schema, root, at)
    elif isinstance(value, list):
        one = schema.get("items", {})
        return next((p for i, v in enumerate(value) if (p := problem(v, one, root, f"{at}.{i}"))), None)
    elif _is(value, "integer") and value < schema.get("minimum", value):
        return f"{at} is below {schema['minimum']}"
    return None


def _of_object(value: dict[str, Any], schema: dict[str, Any], root: dict[str, Any], at: str) -> str | None:
    known, rest = schema.get("properties", {}), schema.get("additionalProperties", True)
    for key in schema.get("required", ()):
        if key not in value:
            return f"{at}.{key} is missing"
    if len(value) < schema.get("minProperties", 0):
        return f"{at} is empty"
    for key, inner in value.items():
        place = f"{at}.{key}"
        if (key not in known and rest is False) or not _named(key, schema.get("propertyNames", {})):
            return f"{place} is not known"
        found = problem(inner, known.get(key, rest if isinstance(rest, dict) else {}), root, place)
        if found:
            return found
    return None


def _named(key: str, schema: dict[str, Any]) -> bool:
    return key in schema.get("enum", (key,))
