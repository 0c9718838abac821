package adapter_test

import (
	"go/format"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/touchstone-eval/touchstone/contracts"
	"github.com/touchstone-eval/touchstone/internal/proxy/adapter"
)

// small is a minimal description of a proxy.
const small = `
name = "small"
start { command = ["prog"] }
tools {
  path  = "/tools"
  items = answer
  id    = item.id
}
search "rest" {
  path   = "/find"
  params = { q = query, n = limit }
  items  = answer.found
  server = item.s
  name   = item.n
  score  = item.score
}
`

func parse(t *testing.T, text string) *adapter.Adapter {
	t.Helper()
	a, err := adapter.Parse([]byte(text), "x.hcl")
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func run(t *testing.T, text string, s adapter.Setting) *adapter.Run {
	t.Helper()
	if s.Listen == "" {
		s.Listen = "127.0.0.1:4711"
	}
	r, err := parse(t, text).Run(s)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// Every included adapter is valid, and so is its portable form.
func TestShipped(t *testing.T) {
	files, err := filepath.Glob("../../../adapters/*.hcl")
	if err != nil || len(files) == 0 {
		t.Fatalf("no adapters: %v", err)
	}
	page, err := os.ReadFile("../../../docs/reference/adapters.md")
	if err != nil {
		t.Fatal(err)
	}
	var tests strings.Builder
	for _, file := range []string{"../../../stages/scoreretrieval/adapted_test.go", "../../../internal/testing/proofs/adapter_test.go"} {
		source, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		tests.Write(source)
	}
	for _, file := range files {
		a, err := adapter.ReadFile(file)
		if err != nil {
			t.Error(err)
			continue
		}
		if want := strings.TrimSuffix(filepath.Base(file), ".hcl"); a.Name != want {
			t.Errorf("%s is named %q: an adapter is called as its file", file, a.Name)
		}
		if row := "| `" + a.Name + "` | "; !strings.Contains(string(page), row) {
			t.Errorf("docs/reference/adapters.md has no row %q", row)
		}
		if a.About == "" {
			t.Errorf("%s has no about", file)
		}
		if !strings.Contains(tests.String(), `"`+a.Name+`"`) && !strings.Contains(tests.String(), "adapters/"+a.Name+".hcl") {
			t.Errorf("no test drives the adapter %s", a.Name)
		}
		text, err := a.Portable(func(string) bool { return true })
		if err != nil {
			t.Fatal(err)
		}
		if _, err := adapter.Parse(text, "portable"); err != nil {
			t.Errorf("%s does not survive: %v\n%s", file, err, text)
		}
		if strings.Contains(string(text), "#") {
			t.Errorf("%s keeps a comment:\n%s", file, text)
		}
		if a.Build != nil {
			goSources(t, a.Build)
		}
	}
}

// goSources checks that Go code in an adapter is as gofmt writes it.
func goSources(t *testing.T, b *adapter.Build) {
	t.Helper()
	sources, err := b.Sources()
	if err != nil {
		t.Fatal(err)
	}
	for path, text := range sources {
		if filepath.Ext(path) != ".go" {
			continue
		}
		if want, err := format.Source(text); err != nil || string(want) != string(text) {
			t.Errorf("%s: %v: want\n%s", path, err, want)
		}
	}
}

// An option refuses the values for which a condition is false, in the words of its adapter.
func TestOptionsAreValidated(t *testing.T) {
	text := small + `
option "mode" {
  default = "search"
  validation {
    condition     = option.mode != "direct"
    error_message = "It has no search in this mode."
  }
  validation {
    condition     = contains(["search", "code"], option.mode)
    error_message = "${option.mode} is no mode."
  }
}
option "size" {
  default = "1"
  validation {
    condition     = tonumber(option.size) > 0
    error_message = "Use a size above 0."
  }
}
`
	for _, tc := range []struct {
		options map[string]string
		want    string // of the error; empty for none
	}{
		{nil, ""},
		{map[string]string{"mode": "code"}, ""},
		{map[string]string{"mode": "direct"}, `option mode = "direct": It has no search in this mode.`},
		{map[string]string{"mode": "all"}, `option mode = "all": all is no mode.`},
		{map[string]string{"size": "0"}, `option size = "0": Use a size above 0.`},
		{map[string]string{"size": "big"}, "validation of option size: condition"},
	} {
		_, err := parse(t, text).Run(adapter.Setting{Listen: "127.0.0.1:4711", Options: tc.options})
		if tc.want == "" && err != nil || tc.want != "" && (err == nil || !strings.Contains(err.Error(), tc.want)) {
			t.Errorf("%v: got %v, want %q", tc.options, err, tc.want)
		}
	}
}

// The definition of a tool is asked for if the results say that they left something out.
func TestDescribe(t *testing.T) {
	text := strings.Replace(small, "  score  = item.score\n", `
  describe {
    when   = item.short
    path   = "/tool"
    params = { id = "${item.s}/${item.n}", q = query }
  }
`, 1)
	asked := adapter.Asked{Path: "rest", Query: "diff", Limit: 2}
	answer := adapter.Answer{Text: []byte(`{"found": [
		{"s": "git", "n": "log", "short": false}, {"s": "git", "n": "diff", "short": true}, {"s": "git", "n": "add", "short": 1}]}`)}
	r := run(t, text, adapter.Setting{})
	for id, want := range map[string]string{
		"git:log": "", "git:diff": "/tool?id=git%2Fdiff&q=diff", "git:add": "when is a number", "git:rm": `no tool "git:rm"`,
	} {
		q, ok, err := r.DescribeQuestion(asked, answer, id)
		if got := q.URL; err != nil && (want == "" || !strings.Contains(err.Error(), want)) || err == nil && (got != want || ok != (want != "")) {
			t.Errorf("%s: got %q, %t, %v, want %q", id, got, ok, err, want)
		}
	}
	if _, ok, err := run(t, small, adapter.Setting{}).DescribeQuestion(asked, answer, "git:diff"); ok || err != nil {
		t.Errorf("an adapter without the block asks: %v", err)
	}
}

func TestProblemsHaveAPlaceAndARemedy(t *testing.T) {
	for name, tc := range map[string]struct {
		text string
		want []string
	}{
		"syntax":           {"name = ", []string{"x.hcl line 1"}},
		"no start":         {`name = "x"`, []string{"no start block", "add a start block"}},
		"unknown block":    {small + "\nsomething {\n}", []string{"line 18", "something"}},
		"unknown attr":     {small + "\nretries = 3", []string{"line 18", "retries"}},
		"no command":       {strings.Replace(small, `command = ["prog"]`, "", 1), []string{"start needs the attribute command"}},
		"no tools":         {strings.Replace(small, "tools {", "mcp {\n}\nstop {", 1), []string{"not expected here"}},
		"no search":        {small[:strings.Index(small, "search")], []string{"no search block"}},
		"no items":         {strings.Replace(small, "items = answer\n", "\n", 1), []string{"tools needs the attribute items"}},
		"no name":          {strings.Replace(small, "id    = item.id", "", 1), []string{"no way to name a tool", "server and name"}},
		"two names":        {strings.Replace(small, "id    = item.id", "id = item.id\nname = item.n\nserver = item.s", 1), []string{"no way to name a tool"}},
		"two ways to ask":  {strings.Replace(small, `path  = "/tools"`, "path = \"/tools\"\nlist_tools = true", 1), []string{"not exactly one kind of request"}},
		"unknown name":     {strings.Replace(small, "item.score", "items.score", 1), []string{"line 15", `"items" is not available here`, "item"}},
		"answer too early": {strings.Replace(small, `n = limit`, `n = answer.n`, 1), []string{"line 11", `"answer" is not available here`}},
		"unknown option":   {strings.Replace(small, `["prog"]`, `["prog", option.model]`, 1), []string{"line 3", "unknown option", `option "NAME"`}},
		"binary unbuilt":   {strings.Replace(small, `"prog"`, "binary", 1), []string{"nothing is built", "build block"}},
		"other path":       {strings.Replace(small, `"rest"`, `"grpc"`, 1), []string{`search "grpc"`, `"mcp"`, `"rest"`}},
		"search twice":     {small + small[strings.Index(small, "search"):], []string{"duplicate search path"}},
		"file outside":     {strings.Replace(small, `{ command = ["prog"] }`, "{\ncommand = [\"prog\"]\nfile \"../x\" { content = \"\" } \n}", 1), []string{"not inside the proxy's directory", "../x"}},
		"bad contract":     {`contract = "mine"` + small, []string{`contract is "mine"`, "native"}},
		"native and more":  {`contract = "native"` + small, []string{"block not used by the native contract"}},
		"bad signal":       {small + "\nstop {\n signal = \"SEGV\"\n}", []string{`signal is "SEGV"`, "TERM"}},
		"bad grace":        {small + "\nstop {\n grace = \"long\"\n}", []string{`grace is "long"`, `"5s"`}},
		"bad transport":    {small + "\nmcp {\n transport = \"pigeon\"\n}", []string{`"pigeon"`, "stdio"}},
		"done of nothing":  {small + "\nready {\n done = answer.ok\n}", []string{"no request"}},
		"score of a list":  {strings.Replace(small, "id    = item.id", "id = item.id\nscore = 1", 1), []string{"score and describe belong to a search"}},
		"described list":   {strings.Replace(small, "id    = item.id", "id = item.id\ndescribe {\n path = \"/x\"\n}", 1), []string{"score and describe belong to a search"}},
		"no description":   {strings.Replace(small, "  score  = item.score", "describe {\n when = true\n}", 1), []string{"not exactly one kind of request"}},
		"what is when":     {strings.Replace(small, "  score  = item.score", "describe {\n when = tool.lossy\n path = \"/x\"\n}", 1), []string{`"tool" is not available here`}},
		"source outside":   {small + "build {\n binary = \"p\"\n file \"../x\" {\n content = \"\"\n }\n}", []string{"not inside the proxy's directory", "../x"}},
		"source of option": {small + "build {\n binary = \"p\"\n file \"x\" {\n content = option.x\n }\n}", []string{`"option" is not available here`, "a fixed value"}},
		"validates query":  {small + "option \"a\" {\n default = \"\"\n validation {\n condition = query == \"\"\n error_message = \"x\"\n }\n}", []string{`"query" is not available here`}},
		"a second detector": {
			small + strings.Repeat("detector \"d\" {\n command = [\"x\"]\n flagged = answer.bad\n}\n", 2),
			[]string{"invalid name of a detector"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := adapter.Parse([]byte(tc.text), "x.hcl")
			if err == nil {
				t.Fatal("it was taken")
			}
			for _, want := range append(tc.want, "docs/reference/adapters.md") {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("the error lacks %q:\n%v", want, err)
				}
			}
		})
	}
}

func TestFileThatIsNoAdapter(t *testing.T) {
	if _, err := adapter.ReadFile(filepath.Join(t.TempDir(), "none.hcl")); err == nil || !strings.Contains(err.Error(), "the proxy's adapter") {
		t.Errorf("got %v", err)
	}
	big := filepath.Join(t.TempDir(), "big.hcl")
	if err := os.WriteFile(big, make([]byte, 2<<20), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := adapter.ReadFile(big); err == nil || !strings.Contains(err.Error(), "larger than 1 MiB") {
		t.Errorf("got %v", err)
	}
}

func TestLaunch(t *testing.T) {
	text := strings.Replace(small, `start { command = ["prog"] }`, `
option "model" { default = "none" }
option "key" {}
start {
  command     = [touchstone, "--port", port, null, 7, option.model, secret]
  env         = { HOST = host, GONE = null }
  directories = ["data"]
  file "conf/a.json" { content = jsonencode({ key = option.key, up = [for u in upstreams : u.command[0]], n = expected }) }
}
stop {
  signal = "INT"
  grace  = "2s"
}`, 1)
	a := parse(t, text)
	if _, err := a.Run(adapter.Setting{}); err == nil || !strings.Contains(err.Error(), "requires the option key") {
		t.Errorf("a missing option: %v", err)
	}
	if _, err := a.Run(adapter.Setting{Options: map[string]string{"key": "k", "modle": "x"}}); err == nil || !strings.Contains(err.Error(), `no option "modle"`) {
		t.Errorf("an unknown option: %v", err)
	}
	r := run(t, text, adapter.Setting{
		Touchstone: "/bin/ts", Options: map[string]string{"key": "k"}, Tools: 3, Secret: "s3",
		Upstreams: []contracts.Upstream{{Name: "u", Command: []string{"replay", "x"}}},
	})
	l, err := r.Launch()
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(l.Argv, " "); got != "/bin/ts --port 4711 7 none s3" {
		t.Errorf("argv %q", got)
	}
	if len(l.Env) != 1 || l.Env["HOST"] != "127.0.0.1" || l.StopSignal != "INT" || l.StopAfter.Seconds() != 2 {
		t.Errorf("got %+v", l)
	}
	if got := string(l.Files["conf/a.json"]); got != `{"key":"k","n":3,"up":["replay"]}` {
		t.Errorf("file %s", got)
	}
}

func TestSearch(t *testing.T) {
	r := run(t, small, adapter.Setting{})
	q, err := r.SearchQuestion(adapter.Asked{Path: "rest", Query: "a & b", Limit: 5})
	if err != nil || q.URL != "/find?n=5&q=a+%26+b" || q.Method != "GET" {
		t.Errorf("got %+v, %v", q, err)
	}
	if _, err := r.SearchQuestion(adapter.Asked{Path: "mcp"}); err == nil || !strings.Contains(err.Error(), "it has rest") {
		t.Errorf("got %v", err)
	}
	// The text of a name keeps its Unicode form.
	answer, err := r.Hits(adapter.Asked{Path: "rest"}, adapter.Answer{Text: []byte("{\"found\": [{\"s\": \"a\", \"n\": \"e\u0301\", \"score\": -0.1}]}")})
	if err != nil || len(answer.Tools) != 1 || answer.Tools[0].Name != "a:e\u0301" || answer.Tools[0].Score != -0.1 {
		t.Errorf("got %+v, %v", answer, err)
	}
	for text, want := range map[string]string{
		"<html>":                                  "answer is null",
		`{"results": []}`:                         `has no field "found"`,
		`{"found": 3}`:                            "is a number but must be a list",
		`{"found": ["x"]}`:                        "item 1: server: item is a string",
		`{"found": [{"s": "a"}]}`:                 `item has no field "n"`,
		`{"found": [{"s":"", "n":""}]}`:           "no name",
		`{"found": [{"s":"a","n":"b"}]}`:          `no field "score"`,
		`{"found": [{"s":"a","n":1,"score":""}]}`: "score is a string but must be a number",
	} {
		_, err := r.Hits(adapter.Asked{Path: "rest"}, adapter.Answer{Text: []byte(text)})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %q", text, err, want)
		}
	}
}

// An answer that is text rather than JSON can be evaluated as well.
func TestAnswerOfText(t *testing.T) {
	text := strings.Replace(small, "items  = answer.found\n  server = item.s\n  name   = item.n\n  score  = item.score",
		"items = regexall(\"(?m)^- ([^ /]+)/([^ ]+)\", text)\n server = item[0]\n name = item[1]", 1)
	answer, err := run(t, text, adapter.Setting{}).Hits(adapter.Asked{Path: "rest"}, adapter.Answer{Text: []byte("Found:\n- git/log Shows\n- git/diff Compares\n")})
	if err != nil || len(answer.Tools) != 2 || answer.Tools[1].Name != "git:diff" {
		t.Errorf("got %+v, %v", answer, err)
	}
}

// The portable form leaves out what is only for people and what only concerns the build.
func TestPortableHasWhatMattersOnly(t *testing.T) {
	plain := parse(t, small)
	spoken := parse(t, "# A comment\nabout = \"words\"\n"+strings.Replace(small, "items = answer\n", "items = answer # all of it\n\n\n", 1)+
		"build {\n  binary = \"p\"\n  command = [\"make\"]\n}\n/* more */")
	keep := func(block string) bool { return block != "build" }
	a, err := plain.Portable(keep)
	if err != nil {
		t.Fatal(err)
	}
	b, err := spoken.Portable(keep)
	if err != nil {
		t.Fatal(err)
	}
	if string(a) != string(b) {
		t.Errorf("two texts of one adapter:\n%s\nand\n%s", a, b)
	}
	other, err := parse(t, strings.Replace(small, "/find", "/search", 1)).Portable(keep)
	if err != nil || string(other) == string(a) {
		t.Errorf("a change that matters is lost: %v", err)
	}
}

func TestSchemasThatAreRewritten(t *testing.T) {
	text := strings.Replace(small, "id    = item.id", "id = item.id\nschema_drops = [\"title\"]\nschema_adds = { required = [] }", 1)
	r := run(t, text, adapter.Setting{})
	for in, want := range map[string]string{
		`{"title":"T","type":"object"}`:          `{"type":"object"}`,
		`{"type":"object","required":[]}`:        `{"type":"object"}`,
		`{"type":"object","required":["a"]}`:     `{"required":["a"],"type":"object"}`,
		`{"properties":{"a":{"title":"stays"}}}`: `{"properties":{"a":{"title":"stays"}}}`,
		`null`:                                   `null`,
		`[1]`:                                    `[1]`,
	} {
		got, err := r.Comparable([]byte(in))
		if err != nil || string(got) != want {
			t.Errorf("%s: got %s, %v, want %s", in, got, err, want)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add(small)
	for _, name := range []string{"reference", "mcpproxy"} {
		data, err := os.ReadFile("../../../adapters/" + name + ".hcl")
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(data))
	}
	f.Fuzz(func(t *testing.T, text string) {
		a, err := adapter.Parse([]byte(text), "f.hcl")
		if err != nil {
			return
		}
		portable, err := a.Portable(func(string) bool { return true })
		if err != nil {
			t.Fatal(err)
		}
		again, err := adapter.Parse(portable, "portable.hcl")
		if err != nil {
			t.Fatalf("%v\nfrom\n%s\nto\n%s", err, text, portable)
		}
		twice, err := again.Portable(func(string) bool { return true })
		if err != nil || string(twice) != string(portable) {
			t.Fatalf("it changes each time it travels (%v):\n%s\nthen\n%s", err, portable, twice)
		}
	})
}

func FuzzHits(f *testing.F) {
	f.Add([]byte(`{"found": [{"s": "a", "n": "b", "score": 1}]}`))
	f.Add([]byte(`{"found": [{"s": null, "n": [], "score": {}}]}`))
	a, err := adapter.Parse([]byte(small), "x.hcl")
	if err != nil {
		f.Fatal(err)
	}
	r, err := a.Run(adapter.Setting{Listen: "127.0.0.1:1"})
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		answer, err := r.Hits(adapter.Asked{Path: "rest"}, adapter.Answer{Text: body})
		if err != nil {
			return
		}
		for _, hit := range answer.Tools {
			if hit.Name == "" || hit.Name == ":" {
				t.Fatalf("%q: a tool without a name", body)
			}
		}
	})
}
