"""Computes Recall@5 and MRR of a proxy over stdio without Touchstone's evaluation.

Usage: independent.py KIND CORPUS GOLDEN TOUCHSTONE COMMAND...

KIND is a key of kinds below. The proxy gets servers that replay the corpus, in the order of
the first run. "{config}" in the command is the path of its configuration.
"""
import json
import os
import subprocess
import sys
import tempfile
import time

from order import permuted
from scoring import score

kind, corpus, golden, touchstone, *command = sys.argv[1:]
home = tempfile.mkdtemp()
recorded = json.load(open(corpus))
tools = {}
for t in recorded["tools"]:
    tools.setdefault(t["server"], []).append(t)
servers = permuted(1, "servers", tools)
recorded["tools"] = [t for s in servers for t in permuted(1, "tools of " + s, tools[s])]
corpus = os.path.join(home, "corpus.json")
json.dump(recorded, open(corpus, "w"))
replay = {s: [touchstone, "replay", "--corpus", corpus, "--server", s, "--page-size", "10000"] for s in servers}
entries = {s: {"command": c[0], "args": c[1:]} for s, c in replay.items()}
quoted = lambda *words: " ".join(json.dumps(w) for w in words)
kdl = "".join(f"mcp {quoted(s)} {{\n command {quoted(c[0])}\n args {quoted(*c[1:])}\n}}\n" for s, c in replay.items())
# Of each kind: the file with its configuration below its home, and the content; its search, the arguments for a query,
# and the ids in an answer.
kinds = {
    "mcp-gateway": (
        "config.json", {s: {"type": "local", "command": c} for s, c in replay.items()},
        "gateway.search", lambda q: {"query": q, "limit": 10},
        lambda answer: [t["server"] + ":" + t["name"] for t in answer["results"]]),
    "meta-mcp-proxy": (
        "config.json", {"discoverLimit": 50, "mcpServers": entries}, "discover", lambda q: {"queries": [q]},
        lambda answer: [t["toolId"] + ":" + t["method"] for t in answer]),
    "pleaseai-mcp-gateway": (
        ".please/mcp.json", {"mcpServers": entries}, "search_tools", lambda q: {"query": q},
        lambda answer: [t["name"].replace("__", ":", 1) for t in answer["tools"]]),
    "slop-mcp": (
        ".config/slop-mcp/config.kdl", kdl, "search_tools", lambda q: {"query": q, "limit": 10},
        lambda answer: [t["mcp_name"] + ":" + t["name"] for t in answer["tools"] or []]),
    "tool-hub-mcp": (
        ".tool-hub-mcp.json", {"servers": entries}, "hub_search", lambda q: {"query": q},
        lambda answer: [t["server"] + ":" + t["name"] for t in answer["results"]]),
}
file, content, tool, arguments, ids = kinds[kind]
config = os.path.join(home, file)
os.makedirs(os.path.dirname(config), exist_ok=True)
open(config, "w").write(content if isinstance(content, str) else json.dumps(content, sort_keys=True))
if kind == "tool-hub-mcp":  # it looks for updates once a day
    open(os.path.join(home, ".tool-hub-mcp-cache.json"), "w").write('{"lastUpdateCheck": "2999-01-01T00:00:00Z"}')
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
    result = ask("tools/call", name=tool, arguments=arguments(query))
    return ids(json.loads(result["content"][0]["text"]))


ask("initialize", protocolVersion="2025-06-18", capabilities={}, clientInfo={"name": "independent", "version": "1"})
send(method="notifications/initialized")
for _ in range(120):  # until the last server is connected
    if all(any(h.startswith(s + ":") for h in search(tools[s][-1]["description"])) for s in servers):
        break
    time.sleep(1)
score(kind, golden, search)
proxy.kill()
