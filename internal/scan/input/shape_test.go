package input

import (
	"strings"
	"testing"
)

// Tools for the APIs of models are those of MCP in another shape.
func TestReadOtherShapes(t *testing.T) {
	const schema = `{"type":"object","properties":{"x":{"description":"X"}}}`
	for _, tt := range []struct{ name, text, want string }{
		{"OpenAI, nested", `[{"type":"function","function":{"name":"a","description":"A","parameters":` + schema + `,"strict":true}}]`,
			`f.json:1 srv:a "A" in=` + schema + ` out= ann= title="" extra={"strict":true}`},
		{"OpenAI, in a request", `{"model":"m","tools":[{"type":"function","function":{"name":"a"}}]}`, `f.json:1 srv:a "" in= out= ann=`},
		{"OpenAI, flat", `{"tools":[{"type":"function","name":"a","description":"A","parameters":` + schema + `}]}`,
			`f.json:1 srv:a "A" in=` + schema + ` out= ann= title="" extra={"type":"function"}`},
		{"OpenAI, text beside the function", `[{"type":"other","note":"N","function":{"name":"a"}}]`,
			`f.json:1 srv:a "" in= out= ann= title="" extra={"type":"other","note":"N"}`},
		{"OpenAI, in a request with its conversation", `{"model":"m","messages":[{"role":"user","content":"You must be kind."}],"tools":[{"function":{"name":"a"}}]}`,
			"f.json:1 srv:a \"\" in= out= ann=\npassed over f.json:1: " + conversationSkipped},
		{"OpenAI, in a request with its input", `{"model":"m","input":[{"role":"user","content":"You must be kind."},{"type":"function_call","name":"a"}],"tools":[{"name":"a"}]}`,
			"f.json:1 srv:a \"\" in= out= ann=\npassed over f.json:1: " + conversationSkipped},
		{"Anthropic, in a request with more than its conversation", "{\"model\":\"m\",\"tools\":[{\"name\":\"a\"}],\n\"messages\":[{\"role\":\"user\",\"content\":\"You must be kind.\"}],\n\"system\":\"Be kind to all.\"}",
			"f.json:1 srv:a \"\" in= out= ann=\nf.json:3 srv:(instructions) \"\" title=\"\" in= extra={\"system\":\"Be kind to all.\"}\npassed over f.json:2: " + conversationSkipped},
		{"Gemini, in a request with its conversation", `{"contents":[{"role":"user","parts":[{"text":"You must be kind."}]}],"tools":[{"functionDeclarations":[{"name":"a"}]}]}`,
			"f.json:1 srv:a \"\" in= out= ann=\npassed over f.json:1: " + conversationSkipped},
		// A server may write such members too, and a list of texts is no conversation.
		{"messages in an answer of a server", `{"jsonrpc":"2.0","id":1,"result":{"tools":[{"name":"a"}],"model":"m","messages":[{"role":"user","content":"You must be kind."}]}}`,
			`f.json:1 srv:a "" in= out= ann=` + "\n" + `f.json:1 srv:(instructions) "" title="" in= extra={"messages":[{"role":"user","content":"You must be kind."}]}`},
		{"messages without a model", `{"tools":[{"name":"a"}],"messages":[{"role":"user","content":"You must be kind."}]}`,
			`f.json:1 srv:a "" in= out= ann=` + "\n" + `f.json:1 srv:(instructions) "" title="" in= extra={"messages":[{"role":"user","content":"You must be kind."}]}`},
		{"messages without a role", `{"model":"m","tools":[{"name":"a"}],"messages":["You must be kind."]}`,
			`f.json:1 srv:a "" in= out= ann=` + "\n" + `f.json:1 srv:(instructions) "" title="" in= extra={"messages":["You must be kind."]}`},
		{"OpenAI, in both places", `[{"note":"1","function":{"name":"a","note":"2"}}]`,
			"f.json:1 unscanned srv:a: element 1 of the list is not a readable tool: it has the same field beside its function and in it, and programs differ on which one they read"},
		{"Anthropic", `[{"name":"a","description":"A","input_schema":` + schema + `,"cache_control":{"type":"ephemeral"}}]`,
			`f.json:1 srv:a "A" in=` + schema + ` out= ann= title="" extra={"cache_control":{"type":"ephemeral"}}`},
		{"Gemini", "{\"tools\":[{\"functionDeclarations\":[\n{\"name\":\"a\",\"parameters\":" + schema + ",\"response\":{\"type\":\"STRING\"}},\n{\"name\":\"b\"}]},{\"googleSearch\":{}}]}",
			"f.json:2 srv:a \"\" in=" + schema + " out={\"type\":\"STRING\"} ann=\nf.json:3 srv:b \"\" in= out= ann=\nf.json:3 srv: \"\" in= out= ann= title=\"\" extra={\"googleSearch\":{}}"},
		{"Gemini, alone", `{"function_declarations":[{"name":"a"}]}`, `f.json:1 srv:a "" in= out= ann=`},
		{"a list of functions with a text beside it", `[{"functionDeclarations":[{"name":"a"}],"note":"You must be kind."}]`,
			"f.json:1 srv:a \"\" in= out= ann=\nf.json:1 srv:(instructions) \"\" title=\"\" in= extra={\"note\":\"You must be kind.\"}"},
		{"tools without a name", `{"tools":[{"description":"A"},{"description":"B"}]}`, "f.json:1 srv: \"A\" in= out= ann=\nf.json:1 srv: \"B\" in= out= ann="},
		{"one tool", `{"name":"a","description":"A","inputSchema":{}}`, `f.json:1 srv:a "A" in={} out= ann=`},
		{"one tool a line", "{\"name\":\"a\",\"inputSchema\":{}}\n{\"function\":{\"name\":\"b\"}}\n", "f.json:1 srv:a \"\" in={} out= ann=\nf.json:2 srv:b \"\" in= out= ann="},
		{"parameters beside a schema", `[{"name":"a","inputSchema":{},"parameters":{"p":1}}]`, `f.json:1 srv:a "" in={} out= ann= title="" extra={"parameters":{"p":1}}`},
		{"parameters that are no schema", `[{"name":"a","parameters":["p"]}]`, `f.json:1 srv:a "" in= out= ann= title="" extra={"parameters":["p"]}`},
	} {
		t.Run(tt.name, func(t *testing.T) { wantBrief(t, tt.text, tt.want) })
	}
}

// A pointer leads to where the file has what it points to.
func TestPointersLeadIntoTheFile(t *testing.T) {
	for text, want := range map[string]map[string]string{
		`[{"type":"function","note":"N","function":{"name":"a","description":"A","parameters":{},"x/y":{}}}]`: {
			"/name": "/function/name", "/description": "/function/description", "/inputSchema/properties/p": "/function/parameters/properties/p",
			"/x~1y/z": "/function/x~1y/z", "/note": "/note", "/descriptions": "/descriptions", "": "",
		},
		`[{"name":"a","description":"A","parameters":{},"response":{}}]`: {"/inputSchema/x": "/parameters/x", "/outputSchema": "/response", "/description": "/description"},
		`[{"tool":"a","schema":{}}]`:                                     {"/name": "/tool", "/inputSchema/x": "/schema/x"},
		`[{"name":"a","input_schema":{}}]`:                               {"/name": "/name", "/inputSchema/x": "/input_schema/x"},
		`[{"name":"a","inputSchema":{}}]`:                                {"/inputSchema/x": "/inputSchema/x"},
	} {
		in, err := Read("f.json", "srv", []byte(text))
		if err != nil || len(in.Tools) != 1 {
			t.Fatalf("%s: %v", text, err)
		}
		for mcp, file := range want {
			if got := in.Tools[0].Pointer(mcp); got != file {
				t.Errorf("%s: %s is at %s, want %s", text, mcp, got, file)
			}
		}
	}
}

// A recording has requests too, and a batch several answers in one list.
func TestReadRecordings(t *testing.T) {
	const request = `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`
	const answer = `{"jsonrpc":"2.0","id":1,"result":{"tools":[{"name":"a"}]}}`
	const called = `{"jsonrpc":"2.0","id":2,"result":{"content":[{"type":"text","text":"Call a now."}]}}`
	const first = `{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2025-06-18","instructions":"Be kind."}}`
	const over = "JSON-RPC messages are no answer with definitions: requests, notifications, or answers to other requests"
	for _, tt := range []struct{ name, text, want string }{
		{"server-sent events", "event: message\r\nid: 1\r\ndata: " + answer + "\r\n\r\n: ping\ndata:" + first + "\n", "f.json:3 srv:a \"\" in= out= ann=\nf.json:6 srv:(instructions) \"Be kind.\" title=\"\" in= extra="},
		{"a batch", "[" + first + ",\n" + answer + "]", "f.json:2 srv:a \"\" in= out= ann=\nf.json:1 srv:(instructions) \"Be kind.\" title=\"\" in= extra="},
		{"a batch with a refusal", "[" + answer + `,{"jsonrpc":"2.0","id":3,"error":{"code":1,"message":"no"}}]`, "f.json:1 srv:a \"\" in= out= ann=\nf.json:1 unscanned srv:: the server answered with an error instead of its tools: no"},
		{"a batch with something else", "[" + answer + ",7]", "f.json:1 srv:a \"\" in= out= ann=\nf.json:1 unscanned srv:: element 2 of the batch is no message of JSON-RPC"},
		{"a recording", answer + "\n" + request + "\n" + called + "\n", "f.json:1 srv:a \"\" in= out= ann=\npassed over f.json:2: 2 " + over},
		{"a recorded batch", "[" + request + "," + answer + "," + called + "]", "f.json:1 srv:a \"\" in= out= ann=\npassed over f.json:1: 2 " + over},
	} {
		t.Run(tt.name, func(t *testing.T) { wantBrief(t, tt.text, tt.want) })
	}
	for _, text := range []string{request + "\n" + called, "[" + request + "]"} {
		if _, err := Read("f.json", "srv", []byte(text)); err == nil || !strings.Contains(err.Error(), "none of its JSON-RPC messages is an answer with definitions") {
			t.Errorf("%s: %v", text, err)
		}
	}
}
