"""Scans a file of tools with mcp-scanner's static mode: static.py CHECKOUT FILE.
It loads the modules in the same way as the detector."""

import asyncio
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../../examples/detectors/mcp-scanner"))
import detector

static_analyzer, yara = detector.load(sys.argv[1])
results = asyncio.run(static_analyzer(analyzers=[yara]).scan_tools_file(sys.argv[2]))
print(sum(not r["is_safe"] for r in results), "of", len(results), "flagged")
