"""A proxy over stdio: it reads the tools of its servers and searches them by words."""
import argparse, json, re, subprocess, sys

parser = argparse.ArgumentParser()
parser.add_argument("--config", required=True)
with open(parser.parse_args().config) as f:
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
    return "\n".join(f"- {name} (score {score})" for score, name in found[:max_results] if score) or "Nothing found."


SCHEMA = {"type": "object", "properties": {"query": {"type": "string"}, "max_results": {"type": "integer"}}, "required": ["query"]}
for line in sys.stdin:
    request = json.loads(line)
    result = {}
    if request["method"] == "initialize":
        result = {"protocolVersion": "2025-06-18", "capabilities": {"tools": {}}, "serverInfo": {"name": "small", "version": "1"}}
    elif request["method"] == "tools/list":
        result = {"tools": [{"name": "search", "description": "Find tools by words.", "inputSchema": SCHEMA}]}
    elif request["method"] == "tools/call":
        result = {"content": [{"type": "text", "text": search(**request["params"]["arguments"])}]}
    if "id" in request:
        print(json.dumps({"jsonrpc": "2.0", "id": request["id"], "result": result}), flush=True)
