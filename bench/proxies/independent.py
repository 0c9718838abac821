"""Computes Recall@5 and MRR of a proxy over stdio without Touchstone's evaluation.

Usage: independent.py KIND CORPUS GOLDEN TOUCHSTONE COMMAND...

KIND is mcp-gateway, meta-mcp-proxy or slop-mcp. The proxy gets servers that replay the
corpus. "{config}" in the command is the path of its configuration.
"""
import json
import os
import subprocess
import sys
import tempfile

from scoring import score

kind, corpus, golden, touchstone, *command = sys.argv[1:]
servers = list(dict.fromkeys(t["server"] for t in json.load(open(corpus))["tools"]))
home = tempfile.mkdtemp()
config = os.path.join(home, "config.json")
replay = {s: [touchstone, "replay", "--corpus", corpus, "--server", s, "--page-size", "10000"] for s in servers}
if kind == "slop-mcp":
    config = os.path.join(home, ".config", "slop-mcp", "config.kdl")
    os.makedirs(os.path.dirname(config))
    quoted = lambda words: " ".join(json.dumps(w) for w in words)
    text = "".join(f"mcp {json.dumps(s)} {{\n command {json.dumps(c[0])}\n args {quoted(c[1:])}\n}}\n" for s, c in replay.items())
elif kind == "mcp-gateway":
    text = json.dumps({s: {"type": "local", "command": c} for s, c in replay.items()})
else:
    text = json.dumps({"discoverLimit": 50, "mcpServers": {s: {"command": c[0], "args": c[1:]} for s, c in replay.items()}})
open(config, "w").write(text)
proxy = subprocess.Popen([w.replace("{config}", config) for w in command], text=True, cwd=home,
                         stdin=subprocess.PIPE, stdout=subprocess.PIPE, env={**os.environ, "HOME": home})


def send(**message):
    proxy.stdin.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
    proxy.stdin.flush()


def ask(method, **params):
    send(id=1, method=method, params=params)
    for line in proxy.stdout:
        if '"jsonrpc"' in line and json.loads(line).get("id") == 1:
            return json.loads(line)["result"]


def search(query):
    if kind == "mcp-gateway":
        result = ask("tools/call", name="gateway.search", arguments={"query": query, "limit": 10})
        return [t["server"] + ":" + t["name"] for t in json.loads(result["content"][0]["text"])["results"]]
    if kind == "slop-mcp":
        result = ask("tools/call", name="search_tools", arguments={"query": query, "limit": 10})
        return [t["mcp_name"] + ":" + t["name"] for t in json.loads(result["content"][0]["text"])["tools"] or []]
    result = ask("tools/call", name="discover", arguments={"queries": [query]})
    return [t["toolId"] + ":" + t["method"] for t in json.loads(result["content"][0]["text"])][:10]


ask("initialize", protocolVersion="2025-06-18", capabilities={}, clientInfo={"name": "independent", "version": "1"})
send(method="notifications/initialized")
for _ in range(120):  # until the last server is connected
    if all(any(h.startswith(t["server"] + ":") for h in search(t["description"])) for t in
           {t["server"]: t for t in json.load(open(corpus))["tools"]}.values()):
        break
score(kind, golden, search)
proxy.kill()
