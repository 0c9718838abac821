package main

import (
	"encoding/json"
	"go/ast"
	"go/parser"
	gotoken "go/token"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode"

	"github.com/touchstone-eval/touchstone/scanner"
)

// longPhrase is the number of words from which a phrase of a rule is one
// author's wording and not common language.
const longPhrase = 5

// TestNoRuleKnowsAnEntry checks that no rule matches a single entry of the
// security corpus: no string literal is the id of an entry, and no phrase of
// five or more words occurs in exactly one entry.
func TestNoRuleKnowsAnEntry(t *testing.T) {
	raw, err := os.ReadFile(securityCorpus)
	if err != nil {
		t.Fatal(err)
	}
	var corpus struct {
		Entries []struct {
			ID string `json:"id"`
		}
	}
	var bodies struct{ Entries []json.RawMessage }
	if err := json.Unmarshal(raw, &corpus); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(raw, &bodies); err != nil {
		t.Fatal(err)
	}
	ids := map[string]bool{}
	var texts []string
	for i, e := range corpus.Entries {
		ids[e.ID] = true
		texts = append(texts, entryText(t, bodies.Entries[i]))
	}
	phrases := rulePhrases(t)
	if len(phrases) < 1000 || len(texts) < 200 {
		t.Fatalf("%d phrases of rules and %d entries: the test reads too little", len(phrases), len(texts))
	}
	for _, p := range phrases {
		if ids[p] {
			t.Errorf("a rule names entry %s", p)
		}
	}
	for _, p := range knownOnce(phrases, texts) {
		t.Errorf("%q occurs in one entry only: express the meaning in fewer words", p)
	}
}

// TestKnownOnce shows that the test above can fail.
func TestKnownOnce(t *testing.T) {
	texts := []string{"gets the weather and never tells the user about it", "adds two numbers, and never tells the user about it", "pings a host before every other tool is used"}
	phrases := []string{"never tells the user about it", "before every other tool is", "every other tool", "nobody wrote this one at all"}
	if got := knownOnce(phrases, texts); !slices.Equal(got, phrases[1:2]) {
		t.Errorf("got %q, want %q", got, phrases[1:2])
	}
}

// knownOnce returns the long phrases that occur in exactly one of the texts.
func knownOnce(phrases, texts []string) (once []string) {
	for _, p := range phrases {
		if len(strings.Fields(p)) < longPhrase {
			continue
		}
		n := 0
		for _, text := range texts {
			if strings.Contains(text, p) {
				n++
			}
		}
		if n == 1 {
			once = append(once, p)
		}
	}
	return once
}

// entryText joins all strings of an entry in lower case, with single spaces.
func entryText(t *testing.T, raw json.RawMessage) string {
	var b strings.Builder
	for _, text := range stringsIn(t, raw) {
		b.WriteString(text)
		b.WriteByte('\n')
	}
	return strings.ToLower(strings.Join(strings.Fields(b.String()), " "))
}

// stringsIn returns every string value of a JSON text except the schema's
// dialect.
func stringsIn(t *testing.T, raw json.RawMessage) (texts []string) {
	if len(raw) == 0 {
		return nil
	}
	var v any
	if err := json.Unmarshal(raw, &v); err != nil {
		t.Fatal(err)
	}
	var walk func(any)
	walk = func(v any) {
		switch v := v.(type) {
		case string:
			texts = append(texts, v)
		case []any:
			for _, e := range v {
				walk(e)
			}
		case map[string]any:
			for _, key := range slices.Sorted(maps.Keys(v)) {
				if key != "$schema" {
					walk(v[key])
				}
			}
		}
	}
	walk(v)
	return texts
}

// sharedRun is the number of consecutive words that two authors are unlikely to
// share by chance.
const sharedRun = 7

// wordRuns returns all sequences of sharedRun words in the texts of a tool.
func wordRuns(t *testing.T, tool *scanner.Tool) (runs []string) {
	texts := append(stringsIn(t, tool.InputSchema), stringsIn(t, tool.OutputSchema)...)
	for _, text := range append(texts, tool.Description) {
		words := strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
		for i := range len(words) - sharedRun + 1 {
			runs = append(runs, strings.Join(words[i:i+sharedRun], " "))
		}
	}
	return runs
}

// TestClassifierReadsOthers checks that the classifier was not trained on the
// texts on which rates are measured.
func TestClassifierReadsOthers(t *testing.T) {
	measured := slices.Concat(toolsOf(t, securityCorpus), toolsOf(t, externalTools))
	whose := map[string]string{}
	for i := range measured {
		for _, run := range wordRuns(t, &measured[i]) {
			whose[run] = measured[i].Name
		}
	}
	if len(whose) < 2000 {
		t.Fatalf("%d runs of words: the test reads too little", len(whose))
	}
	sets, err := readSentenceSets(".")
	if err != nil {
		t.Fatal(err)
	}
	for source, set := range sets {
		for i := range set {
			for _, run := range wordRuns(t, &set[i].tool) {
				if name := whose[run]; name != "" {
					t.Errorf("%s: %s has %q in common with %s", source, set[i].tool.Name, run, name)
				}
			}
		}
	}
}

const (
	securityCorpus = "../../datasets/security_v1.json"
	// externalTools are tools of real servers. They are not part of the
	// repository and may be missing.
	externalTools = "../../../shared/external/livemcptool.tools.json"
)

// toolsOf reads the tools of a corpus. It returns none if the external one is
// missing.
func toolsOf(t *testing.T, path string) []scanner.Tool {
	raw, err := os.ReadFile(path)
	if os.IsNotExist(err) && path == externalTools {
		return nil
	}
	if err != nil {
		t.Fatal(err)
	}
	type entry struct {
		ID, Tool, Description string
		InputSchema           json.RawMessage `json:"input_schema"`
		OutputSchema          json.RawMessage `json:"output_schema"`
		Schema                json.RawMessage `json:"inputSchema"`
	}
	var file struct{ Entries, Tools []entry }
	if err := json.Unmarshal(raw, &file); err != nil {
		t.Fatal(err)
	}
	var tools []scanner.Tool
	for _, e := range append(file.Entries, file.Tools...) {
		if e.InputSchema == nil {
			e.InputSchema = e.Schema
		}
		tools = append(tools, scanner.Tool{Name: e.ID + e.Tool, Description: e.Description, InputSchema: e.InputSchema, OutputSchema: e.OutputSchema})
	}
	return tools
}

// rulePhrases lists the string literals of the scanner, with alternatives
// separated, in lower case.
func rulePhrases(t *testing.T) []string {
	var files []string
	err := filepath.WalkDir("..", func(path string, e fs.DirEntry, err error) error {
		if err == nil && strings.HasSuffix(path, ".go") {
			files = append(files, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, path := range files {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(gotoken.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			lit, ok := n.(*ast.BasicLit)
			if !ok || lit.Kind != gotoken.STRING {
				return true
			}
			s, err := strconv.Unquote(lit.Value)
			if err != nil {
				t.Fatal(err)
			}
			for alternative := range strings.SplitSeq(s, "|") {
				if p := strings.ToLower(strings.Join(strings.Fields(alternative), " ")); p != "" {
					seen[p] = true
				}
			}
			return true
		})
	}
	return slices.Sorted(maps.Keys(seen))
}
