// Package scanner judges MCP tool definitions without running them. It reads
// names, descriptions, schemas and annotations, and reports which of them try to
// steer the model that reads them.
//
// A scan is deterministic and offline. The same tools give the same findings in
// any order and with any GOMAXPROCS. A scan fetches, starts and writes nothing.
// Other programs may import the package; it imports nothing else of this project.
//
// Only the public API and its model live here: Scanner and its options, Tool,
// Finding, Signal, Report, Check, and what applies checks to tools. The rest is in
// rooms under internal, from the lowest to the highest:
//
//   - char: characters, scripts, look-alikes, normalisation.
//   - command: shapes of harmful commands.
//   - meaning: concepts, senses, powers, and the lexicon that maps words to them,
//     the same meanings for every language.
//   - token: words and sentences of one text, and the mood of verbs.
//   - decode: text that hides in encodings, ciphers, spellings and look-alikes.
//   - tool: the fields of one tool, their analysis, and the tools of a scan.
//   - capability: what a tool claims to do, and what its parameters let it do.
//   - classifier: scores of sentences, by weights learnt from labelled tools.
//   - frames: the shapes that sentences of attacks have.
//   - change: what is new against the version that was approved.
//   - check: the checks, which turn all of that into signals.
//
// The training program in training packs the lexicon and trains the classifier.
//
// No check knows a payload by heart. A sentence is suspicious for its structure:
// an order to the model, about something that is not this tool's business, that
// the user is not to see.
package scanner
