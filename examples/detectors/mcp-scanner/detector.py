#!/usr/bin/env python3
"""Makes a detector of the static mode of Cisco's MCP Scanner, with its YARA
rules (github.com/cisco-ai-defense/mcp-scanner): every line of JSON is a tool to
judge, every line of output a verdict. It needs a checkout of the scanner and
Python's yara (Debian: python3-yara), nothing else:

    detector.py CHECKOUT

What runs is the checkout's StaticAnalyzer with its YaraAnalyzer, which its
command "mcp-scanner --analyzers yara static --tools FILE" runs too. The command
itself is not started: importing it takes a model client, a web framework and a
dozen parsers that this mode has no use for. So the packages' __init__ files are
passed over and the two modules are loaded alone.
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
    """The two classes, without the packages around them."""
    root = os.path.join(checkout, "mcpscanner")
    if not os.path.isdir(os.path.join(root, "data", "yara_rules")):
        sys.exit(f"{checkout} is no checkout of mcp-scanner: give the path of one")
    for name in ("", "config", "core", "core.analyzers", "data", "threats", "utils"):
        package = types.ModuleType(".".join(filter(None, ("mcpscanner", name))))
        package.__path__ = [os.path.join(root, *name.split("."))]
        sys.modules[package.__name__] = package
    # The static analyzer imports this name for hints only; its module would
    # ask for pydantic.
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
    """An analyzer whose failures are kept: the static mode goes on as though
    nothing had been found."""

    def __init__(self, analyzer):
        self.analyzer, self.name, self.failure = analyzer, analyzer.name, None

    async def analyze(self, content, context=None):
        try:
            return await self.analyzer.analyze(content, context)
        except Exception as e:
            self.failure = e
            raise


def definition(tool):
    """The tool as its server lists it."""
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
