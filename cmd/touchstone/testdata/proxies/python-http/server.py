"""A proxy over HTTP: it reads the tools of its servers and searches them by words."""
import argparse, json, re, subprocess
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

parser = argparse.ArgumentParser()
parser.add_argument("--config", required=True)
parser.add_argument("--port", type=int, default=8000)
options = parser.parse_args()
with open(options.config) as f:
    servers = json.load(f)["mcpServers"]


def ask(child, id, method, params=None):
    message = {"jsonrpc": "2.0", "method": method, "params": params or {}, **({"id": id} if id else {})}
    child.stdin.write(json.dumps(message) + "\n")
    child.stdin.flush()
    return json.loads(child.stdout.readline())["result"] if id else None


def list_tools(server):
    child = subprocess.Popen([server["command"], *server["args"]], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    ask(child, 1, "initialize", {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "small", "version": "1"}})
    ask(child, None, "notifications/initialized")
    id, cursor = 2, None
    while id == 2 or cursor:
        page = ask(child, id, "tools/list", {"cursor": cursor} if cursor else {})
        yield from page["tools"]
        id, cursor = id + 1, page.get("nextCursor")
    child.kill()


def words(text):
    return set(re.findall(r"[a-z0-9]+", text.lower()))


index = [(f"{name}/{t['name']}", words(t["name"] + " " + t["description"])) for name, s in servers.items() for t in list_tools(s)]


def search(query, max_results=5):
    asked = words(query)
    found = sorted(((len(asked & w), name) for name, w in index), key=lambda hit: -hit[0])
    return json.dumps([name for score, name in found[:max_results] if score])


SCHEMA = {"type": "object", "properties": {"query": {"type": "string"}, "max_results": {"type": "integer"}}, "required": ["query"]}


class Handler(BaseHTTPRequestHandler):
    def log_message(self, *args):
        pass

    def do_POST(self):
        request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        result = {}
        if request["method"] == "initialize":
            result = {"protocolVersion": "2025-06-18", "capabilities": {"tools": {}}, "serverInfo": {"name": "small", "version": "1"}}
        elif request["method"] == "tools/list":
            result = {"tools": [{"name": "search_tools", "description": "Find tools by words.", "inputSchema": SCHEMA}]}
        elif request["method"] == "tools/call":
            result = {"content": [{"type": "text", "text": search(**request["params"]["arguments"])}]}
        self.send_response(200 if "id" in request else 202)
        self.send_header("Content-Type", "application/json")
        body = json.dumps({"jsonrpc": "2.0", "id": request["id"], "result": result}).encode() if "id" in request else b""
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


ThreadingHTTPServer(("127.0.0.1", options.port), Handler).serve_forever()
