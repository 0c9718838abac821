// A search for Touchstone: tools that share rare words with the query come first.
import { createInterface } from "node:readline";

const words = (text) => new Set(text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []);
const weight = new Map();
let documents = [];

for await (const line of createInterface({ input: process.stdin })) {
  const request = JSON.parse(line);
  const reply = { protocol: 1, id: request.id };
  if (request.op === "index") {
    documents = request.tools.map((t) => ({ id: t.id, words: words(t.name.replaceAll("_", " ") + " " + t.description) }));
    for (const d of documents) for (const w of d.words) weight.set(w, (weight.get(w) ?? 0) + 1);
    for (const [w, n] of weight) weight.set(w, Math.log(documents.length / n));
  } else {
    const query = [...words(request.query)];
    const score = (d) => query.reduce((s, w) => s + (d.words.has(w) ? weight.get(w) : 0), 0) / Math.sqrt(d.words.size);
    const scored = documents.map((d) => ({ id: d.id, score: score(d) })).filter((d) => d.score > 0);
    reply.tools = scored.sort((a, b) => b.score - a.score || (a.id < b.id ? -1 : 1)).slice(0, request.limit);
  }
  console.log(JSON.stringify(reply));
}
