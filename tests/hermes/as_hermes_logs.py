"""Run by a real Hermes' interpreter: writes its own log messages through its own log set-up.

Standard input is a JSON list of [beginning, arguments]: each message that so begins is looked up in the source of the
installed package, so that one that was reworded is missed. Writes the beginnings that were not found.
"""

import ast
import json
import logging
import re
import sys
from functools import cache
from pathlib import Path

import hermes_logging  # type: ignore[import-not-found]

PACKAGES = ("agent", "gateway", "hermes_cli")

LENT = "agent.conversation_loop"
"""Logs for the modules that make no logger of their own."""


def _template(node: ast.expr) -> str | None:
    """Return the message that an expression makes, with %s for each value in it."""
    if isinstance(node, ast.Constant):
        return node.value if isinstance(node.value, str) else None
    if isinstance(node, ast.JoinedStr):
        return "".join(str(part.value) if isinstance(part, ast.Constant) else "%s" for part in node.values)
    return None


@cache
def _messages(path: Path) -> list[tuple[str, str]]:
    """Return the texts of a module, each with the logger that would take it."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    own = LENT
    root = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.args:
            if node.func.attr == "getLogger":
                named = isinstance(node.args[0], ast.Constant)
                own = ast.literal_eval(node.args[0]) if named else f"{path.parent.name}.{path.stem}"
            if isinstance(node.func.value, ast.Name) and node.func.value.id == "logging":
                root.add(node.args[0])
    parts = {part for node in ast.walk(tree) if isinstance(node, ast.JoinedStr) for part in node.values}
    texts = [(_template(node), node) for node in ast.walk(tree) if isinstance(node, ast.Constant | ast.JoinedStr)]
    return [(text, "root" if node in root else own) for text, node in texts if text and node not in parts]


def main() -> None:
    """Log what was asked for."""
    asked = json.load(sys.stdin)
    hermes_logging.setup_logging(mode="cli")
    hermes_logging.set_session_context("20260101_120000_abc123")
    site = Path(hermes_logging.__file__).parent
    sources = {path: path.read_text(encoding="utf-8") for name in PACKAGES for path in (site / name).glob("*.py")}
    missing = []
    for beginning, arguments in asked:
        for path, source in sources.items():
            if max(re.findall(r"[A-Za-z -]+", beginning), key=len) not in source:
                continue
            found = [at for at in _messages(path) if at[0].startswith((beginning, f"%s{beginning}"))]
            if found:
                template, logger = min(found, key=lambda at: (at[0] != beginning, -len(at[0])))
                logging.getLogger(logger).warning(template, *arguments)
                break
        else:
            missing.append(beginning)
    sys.stdout.write(json.dumps(missing))


if __name__ == "__main__":
    main()
