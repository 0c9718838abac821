#!/usr/bin/env python3
"""Runs the static mode of Cisco's MCP Scanner with its YARA rules
(github.com/cisco-ai-defense/mcp-scanner) as a detector: every line of input is a
tool to judge in JSON, every line of output is a verdict. It requires a checkout of
the scanner and Python's yara (Debian: python3-yara):

    detector.py CHECKOUT

It runs the StaticAnalyzer of the checkout with its YaraAnalyzer, like the command
"mcp-scanner --analyzers yara static --tools FILE". It does not use the command
itself, because importing it requires a model client, a web framework and a dozen
parsers that this mode does not use. So it skips the __init__ files of the packages
and only loads the two modules.
"""

import asyncio
import contextlib
import json
import logging
import os
import sys
import tempfile
import types


def load(checkout):
    """Return the two classes, loaded without their packages."""
    root = os.path.join(checkout, "mcpscanner")
    if not os.path.isdir(os.path.join(root, "data", "yara_rules")):
        sys.exit(f"{checkout} is not a checkout of mcp-scanner: give the path of a checkout")
    for name in ("", "config", "core", "core.analyzers", "data", "threats", "utils"):
        package = types.ModuleType(".".join(filter(None, ("mcpscanner", name))))
        package.__path__ = [os.path.join(root, *name.split("."))]
        sys.modules[package.__name__] = package
    # The static analyzer only imports this name for type hints. Its module
    # requires pydantic.
    models = types.ModuleType("mcpscanner.core.models")
    models.AnalyzerEnum = type("AnalyzerEnum", (), {})
    sys.modules[models.__name__] = models
    sys.dont_write_bytecode = True
    logging.disable(logging.CRITICAL)
    from mcpscanner.core.analyzers.static_analyzer import StaticAnalyzer
    from mcpscanner.core.analyzers.yara_analyzer import YaraAnalyzer
    from pathlib import Path

    return StaticAnalyzer, YaraAnalyzer(rules_dir=Path(root, "data", "yara_rules"))


class Noticing:
    """An analyzer that records failures. The static mode ignores a failure and
    continues as if nothing had been found."""

    def __init__(self, analyzer):
        self.analyzer, self.name, self.failure = analyzer, analyzer.name, None

    async def analyze(self, content, context=None):
        try:
            return await self.analyzer.analyze(content, context)
        except Exception as e:
            self.failure = e
            raise


def definition(tool):
    """Return the tool as its server lists it."""
    names = {
        "name": "name",
        "description": "description",
        "input_schema": "inputSchema",
        "output_schema": "outputSchema",
        "annotations": "annotations",
    }
    return {theirs: tool[ours] for ours, theirs in names.items() if ours in tool}


def judge(static_analyzer, yara, tool, path):
    with open(path, "w", encoding="utf-8") as f:
        json.dump({"tools": [definition(tool)]}, f)
    noticing = Noticing(yara)
    with contextlib.redirect_stdout(sys.stderr):
        result = asyncio.run(static_analyzer(analyzers=[noticing]).scan_tools_file(path))[0]
    if noticing.failure is not None:
        return {"flagged": False, "error": str(noticing.failure) or "the analyzer failed"}
    rules = sorted({f.details["raw_response"]["rule"] for f in result["findings"]})
    return {"flagged": not result["is_safe"], "signals": rules}


def main():
    if len(sys.argv) != 2:
        sys.exit("usage: detector.py CHECKOUT")
    static_analyzer, yara = load(sys.argv[1])
    with tempfile.TemporaryDirectory() as scratch:
        path = os.path.join(scratch, "tools.json")
        for line in sys.stdin.buffer:
            request = json.loads(line)
            verdict = {"protocol": 1, "id": request["id"]}
            verdict.update(judge(static_analyzer, yara, request["tool"], path))
            print(json.dumps(verdict), flush=True)


if __name__ == "__main__":
    main()
