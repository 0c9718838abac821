// A proxy over HTTP: it reads the tools of its servers and searches them by words.
const { readFileSync } = require("node:fs");
const { createServer } = require("node:http");
const { spawn } = require("node:child_process");
const { createInterface } = require("node:readline");

const config = JSON.parse(readFileSync(process.env.PROXY_CONFIG ?? "mcp.json", "utf8"));
const words = (text) => new Set(text.toLowerCase().match(/[a-z0-9]+/g) ?? []);
const index = [];

for (const [server, { command, args }] of Object.entries(config.mcpServers)) {
  const child = spawn(command, args, { stdio: ["pipe", "pipe", "inherit"] });
  const send = (message) => child.stdin.write(JSON.stringify({ jsonrpc: "2.0", ...message }) + "\n");
  createInterface({ input: child.stdout }).on("line", (line) => {
    const { id, result } = JSON.parse(line);
    for (const t of result.tools ?? []) index.push({ id: `${server}__${t.name}`, words: words(`${t.name} ${t.description}`) });
    if (id === 1) send({ method: "notifications/initialized" });
    if (id === 1 || result.nextCursor) send({ id: id + 1, method: "tools/list", params: { cursor: result.nextCursor } });
    else child.kill();
  });
  send({ id: 1, method: "initialize", params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "small", version: "1" } } });
}

function find({ q }) {
  const asked = [...words(q)];
  return index.map((t) => ({ name: t.id, score: asked.filter((w) => t.words.has(w)).length }))
    .filter((t) => t.score > 0).sort((a, b) => b.score - a.score).slice(0, 10);
}

const inputSchema = { type: "object", properties: { q: { type: "string" } }, required: ["q"] };
const answers = {
  initialize: () => ({ protocolVersion: "2025-06-18", capabilities: { tools: {} }, serverInfo: { name: "small", version: "1" } }),
  "tools/list": () => ({ tools: [{ name: "find_tool", description: "Find tools by words.", inputSchema }] }),
  "tools/call": (p) => { const hits = find(p.arguments); return { content: [{ type: "text", text: JSON.stringify(hits) }] }; },
};
createServer(async (request, response) => {
  if (request.method !== "POST") return response.writeHead(405).end();
  let text = "";
  for await (const part of request) text += part;
  const { id, method, params } = JSON.parse(text);
  if (id === undefined) return response.writeHead(202).end();
  response.setHeader("Content-Type", "application/json");
  response.end(JSON.stringify({ jsonrpc: "2.0", id, result: answers[method]?.(params) ?? {} }));
}).listen(Number(process.env.PORT ?? 8080), "127.0.0.1");
