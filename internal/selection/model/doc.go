// Package model asks a model which tool it would call for a query.
//
// The adapters:
//
//   - openai.go: the chat completions of OpenAI and of everything compatible
//     with them: Ollama, vLLM, llama.cpp, OpenRouter, by base URL
//   - anthropic.go: Anthropic's messages
//   - cassette.go: recorded answers, keyed by the content of the request; and
//     the recorder
//   - lexical.go: a deterministic baseline that needs no model and no network
//
// The two wire formats are spoken with net/http and not with the vendors'
// clients: of the hundreds of calls that these have, one each is needed, and
// linking them would grow the program by 27 MB, two thirds of its size. The
// tests check our requests and the servers that they are tested with against
// the vendors' own clients.
//
// An API key lives for as long as a request is in work. It is a Key, which
// prints as ***, and it is removed from every answer and error of a provider.
package model
