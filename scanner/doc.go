// Package scanner judges MCP tool definitions without running them: it reads
// names, descriptions, schemas and annotations, and says which of them try to
// steer the model that reads them.
//
// The scan is deterministic and offline. The same tools give the same bytes
// in any order and with any GOMAXPROCS; nothing is fetched, started or
// written. It may be imported by other programs and imports nothing of this
// project.
//
// How a scan goes:
//
//   - view.go and jsonwalk.go take a tool apart into fields: its name, its
//     description and every string of its schemas.
//   - normalize.go, tokens.go and lexicon*.go turn each field into tokens that
//     carry concepts (negation, telling, the user, a secret, ...), the same
//     ones for every language.
//   - decode*.go finds text that hides in an encoding and adds it as more
//     fields, so that every check sees what a model could read.
//   - clause.go cuts the tokens into sentences; frames*.go asks each sentence
//     who is addressed, what is demanded of whom and at whose cost.
//   - senses*.go know a second, finer set of meanings, and the frames that read
//     them ask what company words keep: a dialogue and a field that has to
//     hold it, another server's tool and what is said against it. They look at
//     no grammar, and so hold in every voice and language.
//   - sentence_features.go and classifier.go score each sentence by weights that
//     were learnt from labelled tools (testdata/sentences), for a check of its
//     own and as a second opinion of what frames find.
//   - check_*.go turn that evidence into signals, and engine.go those into one
//     finding per tool.
//
// No check knows a payload by heart. A sentence is suspicious for its
// structure: an order to the model, about something that is not this tool's
// business, that the user is not to see.
package scanner
