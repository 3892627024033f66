"""The reference of the API as a page, from its OpenAPI document, without scripts and without other sites."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from html import escape
from typing import Any

_STYLE = """
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif }
body { max-width: 60rem; margin: 2rem auto; padding: 0 1rem }
h2 { margin-top: 2.5rem } h3 { margin: 1.5rem 0 .25rem; font-size: 1rem } p { margin: .25rem 0 }
code { font-family: ui-monospace, monospace } table { border-collapse: collapse; margin: .5rem 0 }
td, th { text-align: left; vertical-align: top; padding: .2rem .8rem .2rem 0; border-top: 1px solid #8886 }
"""
_METHODS = ("get", "post", "put", "delete")
_HEADS = ("Name", "Where", "Type", "Needed")


def page(openapi: Mapping[str, Any]) -> str:
    """The page of an OpenAPI 3.1 document."""
    title = escape(openapi["info"]["title"])
    schemas = openapi.get("components", {}).get("schemas", {})
    parts = [
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f"<title>{title}</title><style>{_STYLE}</style></head><body><h1>{title}</h1>",
        *(f"<p>{escape(line)}</p>" for line in openapi["info"].get("description", "").split("\n\n")),
        '<p>For programs: <a href="openapi.json">openapi.json</a></p>',
    ]
    kind = ""
    for path, method, operation in _operations(openapi):
        tag = next(iter(operation.get("tags", ())), "")
        if tag != kind:
            kind = tag
            parts.append(f"<h2>{escape(tag)}</h2>")
        parts += _operation(path, method, operation, schemas)
    parts.append("<h2>What bodies and replies hold</h2>")
    for name, schema in schemas.items():
        parts += _schema(name, schema)
    return "\n".join([*parts, "</body></html>"])


def _operations(openapi: Mapping[str, Any]) -> Iterator[tuple[str, str, Mapping[str, Any]]]:
    prefix = next((server["url"] for server in openapi.get("servers", ())), "")
    for path, methods in openapi["paths"].items():
        for method in _METHODS:
            if method in methods:
                yield prefix + path, method, methods[method]


def _operation(
    path: str, method: str, operation: Mapping[str, Any], schemas: Mapping[str, Any]
) -> Iterator[str]:
    yield f"<h3><code>{method.upper()} {escape(path)}</code></h3>"
    yield f"<p>{escape(operation.get('description', ''))}</p>"
    rows = [
        (parameter["name"], parameter["in"], _type(parameter["schema"]), parameter.get("required", False))
        for parameter in operation.get("parameters", ())
    ]
    if rows:
        yield _table(rows)
    body = _content(operation.get("requestBody", {}))
    replies = ((status, _content(reply)) for status, reply in operation["responses"].items())
    if body:
        yield f"<p>Body: {_type(body)}</p>"
    yield from (f"<p>Answer {status}: {_type(reply)}</p>" for status, reply in replies if reply)


def _content(part: Mapping[str, Any]) -> Mapping[str, Any]:
    schema: Mapping[str, Any] = part.get("content", {}).get("application/json", {}).get("schema", {})
    return schema


def _schema(name: str, schema: Mapping[str, Any]) -> Iterator[str]:
    yield f'<h3 id="{escape(name)}"><code>{escape(name)}</code></h3>'
    for paragraph in schema.get("description", "").split("\n\n"):
        yield f"<p>{escape(paragraph.removeprefix('Args:').strip())}</p>"
    needed = schema.get("required", ())
    rows = [
        (field, "body", _type(kind), field in needed) for field, kind in schema.get("properties", {}).items()
    ]
    if rows:
        yield _table(rows)


def _table(rows: list[tuple[str, str, str, bool]]) -> str:
    heads = "".join(f"<th>{head}</th>" for head in _HEADS)
    lines = "".join(
        f"<tr><td><code>{escape(name)}</code></td><td>{where}</td><td>{kind}</td>"
        f"<td>{'yes' if needed else ''}</td></tr>"
        for name, where, kind, needed in rows
    )
    return f"<table><tr>{heads}</tr>{lines}</table>"


def _type(schema: Mapping[str, Any]) -> str:
    """The type of a value, as HTML."""
    if "$ref" in schema:
        name = escape(schema["$ref"].rpartition("/")[2])
        return f'<a href="#{name}">{name}</a>'
    if "anyOf" in schema:
        return " or ".join(_type(each) for each in schema["anyOf"])
    if "enum" in schema:
        return ", ".join(escape(str(each)) for each in schema["enum"])
    if schema.get("type") == "array":
        return f"list of {_type(schema.get('items', {}))}"
    kind = escape(str(schema.get("type", "any")))
    bounds = {"minimum": "from", "maximum": "to", "maxLength": "characters at most"}
    said = [f"{word} {schema[name]:,}" for name, word in bounds.items() if name in schema]
    return f"{kind} ({', '.join(said)})" if said else kind
