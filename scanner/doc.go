// Package scanner judges MCP tool definitions without running them. It reads
// names, descriptions, schemas and annotations, and reports which of them try to
// steer the model that reads them.
//
// A scan is deterministic and offline. The same tools give the same findings in
// any order and with any GOMAXPROCS. A scan fetches, starts and writes nothing.
// Other programs may import the package; it imports nothing else of this project.
//
// Only the public API and its model are in this package: Scanner and its
// options, Tool, Finding, Signal, Report, Check, and the code that applies
// checks to tools. The rest is in packages under internal, from the lowest to
// the highest:
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
//   - tripwire: the shapes of well-known attacks, as data.
//   - reading: what the sentences of a tool say.
//   - change: differences from the approved version of a tool.
//   - check: the checks, which turn these results into signals.
//
// The training program in training packs the lexicon and trains the classifier.
//
// Tripwires are patterns of well-known attacks. No other check matches known
// payloads: a sentence is suspicious because of its
// structure: it gives an order to the model, about something that is not the
// business of this tool, and that the user is not supposed to see.
package scanner
