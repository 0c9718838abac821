"""Computes Recall@5 and MRR of ToolHive's vMCP without Touchstone's evaluation.

Usage: independent_http.py CORPUS GOLDEN VMCP

VMCP is the program. It speaks HTTP only, so this program replays the servers of the
corpus over HTTP itself.
"""
import http.server
import json
import os
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request

from scoring import score

corpus, golden, vmcp = sys.argv[1:]
tools = {}
for t in json.load(open(corpus))["tools"]:
    tools.setdefault(t["server"], []).append(
        {"name": t["tool"], "description": t["description"], "inputSchema": t["schema"]})


class Replay(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        results = {
            "initialize": {"protocolVersion": "2025-06-18", "capabilities": {"tools": {}},
                           "serverInfo": {"name": "replay", "version": "1"}},
            "tools/list": {"tools": tools[self.path.strip("/").split("/")[0]]}, "ping": {}}
        if "id" not in request:
            self.answer(202, b"")
        elif request["method"] in results:
            self.answer(200, json.dumps({"jsonrpc": "2.0", "id": request["id"], "result": results[request["method"]]}).encode())
        else:
            self.answer(200, json.dumps({"jsonrpc": "2.0", "id": request["id"],
                                         "error": {"code": -32601, "message": "no such method"}}).encode())

    def do_GET(self):
        self.answer(405, b"")

    def answer(self, status, body):
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


replay = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Replay)
threading.Thread(target=replay.serve_forever, daemon=True).start()
config = os.path.join(tempfile.mkdtemp(), "config.yaml")
json.dump({"name": "independent", "groupRef": "independent", "incomingAuth": {"type": "anonymous"},
           "outgoingAuth": {"source": "inline", "default": {"type": "unauthenticated"}},
           "backends": [{"name": s, "url": f"http://127.0.0.1:{replay.server_port}/{s}", "transport": "streamable-http"} for s in tools],
           "aggregation": {"conflictResolution": "prefix", "conflictResolutionConfig": {"prefixFormat": "{workload}."}},
           "optimizer": {"maxToolsToReturn": 8}}, open(config, "w"))  # JSON is YAML
proxy = subprocess.Popen([vmcp, "serve", "--config", config, "--port", "4495"], stderr=subprocess.DEVNULL)
session = {}


def post(**message):
    request = urllib.request.Request("http://127.0.0.1:4495/mcp", json.dumps({"jsonrpc": "2.0", **message}).encode(),
                                     {"Content-Type": "application/json", "Accept": "application/json, text/event-stream", **session})
    with urllib.request.urlopen(request) as response:
        if "Mcp-Session-Id" in response.headers:
            session["Mcp-Session-Id"] = response.headers["Mcp-Session-Id"]
        text = response.read().decode()
    for line in text.splitlines():  # plain JSON, or an event
        if '"result"' in line:
            return json.loads(line.removeprefix("data:"))["result"]


def search(query):
    result = post(id=2, method="tools/call", params={"name": "find_tool", "arguments": {"tool_description": query}})
    return [t["name"].replace(".", ":", 1) for t in json.loads(result["content"][0]["text"])["tools"] or []]


for _ in range(60):
    try:
        post(id=1, method="initialize", params={"protocolVersion": "2025-06-18", "capabilities": {},
                                               "clientInfo": {"name": "independent", "version": "1"}})
        break
    except OSError:
        time.sleep(1)
post(method="notifications/initialized")
score("toolhive-vmcp", golden, search)
proxy.kill()
