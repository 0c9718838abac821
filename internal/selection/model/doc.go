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
// The two wire formats are implemented with net/http and not with the vendors'
// clients: only one of their hundreds of calls is needed, and linking them
// would add 27 MB, two thirds of the program's size. Tests compare the requests
// and the test servers with the vendors' own clients.
//
// An API key is kept only for the duration of a request. It is a Key, which
// prints as ***, and it is removed from every answer and error of a provider.
package model
