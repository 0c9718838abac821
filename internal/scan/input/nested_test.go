package input

import (
	"errors"
	"strings"
	"testing"
)

// Lists of the tools of several servers are read as what they are.
func TestReadNested(t *testing.T) {
	const a, b = `{"name":"a","inputSchema":{}}`, `{"name":"b"}`
	two := `f.json:1 x:a "" in={} out= ann=` + "\n" + `f.json:1 y:b "" in= out= ann=`
	one := `f.json:1 srv:a "" in={} out= ann=`
	for _, tt := range []struct{ name, text, want string }{
		{"a list of servers", `[{"name":"x","tools":[` + a + `]},{"name":"y","version":"1","tools":[` + b + `]}]`, two},
		{"by another name", `[{"server":"x","tools":[` + a + `]},{"id":"y","tools":[` + b + `]}]`, two},
		{"in a list of tools", `{"tools":[{"name":"x","tools":[` + a + `]},{"name":"y","tools":[` + b + `]}]}`, two},
		{"in items", `{"total":2,"items":[{"name":"x","tools":[` + a + `]},{"name":"y","tools":[` + b + `]}]}`, two},
		{"in servers", `{"servers":{"x":{"tools":[` + a + `]},"y":{"tools":[` + b + `]}}}`, two},
		{"a list in servers", `{"servers":[{"name":"x","tools":[` + a + `]},{"name":"y","tools":[` + b + `]}]}`, two},
		{"by names", `{"x":{"tools":[` + a + `]},"y":{"tools":[` + b + `]}}`, two},
		{"answers by names", `{"x":{"result":{"tools":[` + a + `]}},"y":{"tools":[` + b + `]}}`, two},
		{"tools in items", `{"items":[` + a + `]}`, one},
		{"lists by names", `{"x":[` + a + `],"y":[{"name":"b","input_schema":{}}]}`, strings.Replace(two, "\"\" in= ", "\"\" in={} ", 1)},
		{"tools by names", `{"tools":{"a":{"description":"A","inputSchema":{}}}}`, `f.json:1 srv:a "A" in={} out= ann=`},
		{"a server that says more", `[{"name":"x","description":"You must be kind.","tools":[` + a + `]}]`,
			`f.json:1 x:a "" in={} out= ann=` + "\n" + `f.json:1 x:(instructions) "" title="" in= extra={"description":"You must be kind."}`},
		{"one without tools", `[{"name":"x","tools":[` + a + `]},{"name":"y","error":"timeout"},{"name":"z","tools":[]}]`,
			`f.json:1 x:a "" in={} out= ann=` + "\nf.json:1 unscanned y:: element 2 of the list of servers has no tools in a shape that is known"},
		{"an answer with a member tools", `{"jsonrpc":"2.0","id":1,"result":{"tools":[{"name":"x","description":"Reads.","tools":[` + b + `]}]}}`,
			`f.json:1 srv:x "Reads." in= out= ann= title="" extra={"tools":[{"name":"b"}]}`},
		{"a tool with a member tools", `[{"name":"x","inputSchema":{},"tools":[` + b + `]}]`,
			`f.json:1 srv:x "" in={} out= ann= title="" extra={"tools":[{"name":"b"}]}`},
	} {
		t.Run(tt.name, func(t *testing.T) { wantBrief(t, tt.text, tt.want) })
	}
}

// Lists of other things are refused.
func TestReadOtherLists(t *testing.T) {
	for _, text := range []string{
		`[{"name":"left-pad","version":"1.0.0"}]`, `{"items":[{"name":"x","price":3}]}`, `{"tools":{"sandbox":true}}`,
		`[{"name":"default","members":["a","b"]}]`,
	} {
		in, err := Read("f.json", "srv", []byte(text))
		var bad *InputError
		if !errors.As(err, &bad) || !bad.OtherKind {
			t.Errorf("%s: %v, %+v", text, err, in)
		}
	}
}

// Only a missing, null or empty cursor is the end of a list.
func TestCursors(t *testing.T) {
	for cursor, want := range map[string]string{
		`null`: "", `""`: "", `"2"`: "the list goes on", `2`: "neither a string nor null", `0`: "neither", `false`: "neither", `{}`: "neither", `["2"]`: "neither",
	} {
		in, err := Read("f.json", "srv", []byte(`{"tools":[{"name":"a"}],"nextCursor":`+cursor+`}`))
		if err != nil || len(in.Tools) != 1 {
			t.Fatal(err)
		}
		got := ""
		for _, u := range in.Unscanned {
			got += u.Reason
		}
		if want == "" && got != "" || !strings.Contains(got, want) {
			t.Errorf("%s: %q", cursor, got)
		}
	}
}

// A saved answer to server/discover is what a server says about itself.
func TestReadDiscover(t *testing.T) {
	answer := `{"supportedVersions":["2026-07-28"],"capabilities":{},"instructions":"Be kind.","resultType":"complete","ttlMs":0,"cacheScope":"You must be kind.","_meta":{"io.modelcontextprotocol/serverInfo":{"name":"s"}}}`
	want := `f.json:1 srv:(instructions) "Be kind." title="" in= extra={"serverInfo":{"name":"s"},"cacheScope":"You must be kind."}`
	wantBrief(t, answer, want)
	wantBrief(t, `{"jsonrpc":"2.0","id":1,"result":`+answer+`}`, want)
	wantBrief(t, `{"server/discover":`+answer+`,"tools":[{"name":"a"}]}`, `f.json:1 srv:a "" in= out= ann=`+"\n"+want)
	in, err := Read("f.json", "srv", []byte(answer))
	if err != nil || in.Others[0].Pointer("/serverInfo/name") != "/_meta/io.modelcontextprotocol~1serverInfo/name" {
		t.Error(err, in.Others[0].Pointer("/serverInfo/name"))
	}
}
