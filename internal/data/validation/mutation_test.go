package validation

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/touchstone-eval/touchstone/contracts"
	"github.com/touchstone-eval/touchstone/internal/testing/level"
)

// mutations is how often each dataset is mutated. TOUCHSTONE_MUTATIONS is another
// number, for a longer search.
const mutations = 100

// A damaged dataset never makes validation panic, and passes only if it is still
// valid. Each mutation is made on a small part of a shipped dataset, and knows
// whether it must be refused.
func TestMutatedDatasets(t *testing.T) {
	level.Thorough(t, "it validates hundreds of files")
	n := mutations
	if more, err := strconv.Atoi(os.Getenv("TOUCHSTONE_MUTATIONS")); err == nil && more > 0 {
		n = more
	}
	parts := smallParts(t)
	for _, kind := range []string{contracts.KindCorpus, contracts.KindGolden, contracts.KindSecurity, contracts.KindCases} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			corpus, file := filepath.Join(dir, "tools.json"), filepath.Join(dir, "data.json")
			write(t, corpus, parts[contracts.KindCorpus])
			// The corpus is found beside the file, and need not be checked each time.
			files := []string{file}
			write(t, file, parts[kind])
			if _, err := Check(contracts.DatasetLock{}, files); err != nil {
				t.Fatalf("the part is not valid: %v", err)
			}
			random := rand.New(rand.NewPCG(16, uint64(len(kind))))
			refused := map[string]int{}
			for i := range n {
				m := mutate(t, random, kind, parts[kind])
				write(t, file, m.data)
				_, err := Check(contracts.DatasetLock{}, files)
				var invalid *InvalidError
				if err != nil {
					refused[m.name]++
					if !errors.As(err, &invalid) && !strings.Contains(err.Error(), "not a dataset") && !strings.Contains(err.Error(), "is made for corpus") && !strings.Contains(err.Error(), file) {
						t.Fatalf("mutation %d (%s) gives an error without the file: %v", i, m.name, err)
					}
					for _, f := range fileErrors(invalid) {
						for _, p := range f.Problems {
							if p.Message == "" || p.Remedy == "" {
								t.Fatalf("mutation %d (%s): a problem without a remedy: %+v", i, m.name, p)
							}
						}
					}
					continue
				}
				if m.refuse {
					t.Fatalf("mutation %d (%s) was accepted: %s", i, m.name, m.what)
				}
				stillValid(t, kind, m)
			}
			if len(refused) < 6 {
				t.Errorf("few kinds of mutations were refused: %v", refused)
			}
		})
	}
}

func fileErrors(e *InvalidError) []*contracts.FileError {
	if e == nil {
		return nil
	}
	return e.Files
}

func write(t *testing.T, path string, data []byte) {
	t.Helper()
	if err := os.WriteFile(path, data, 0o644); err != nil {
		t.Fatal(err)
	}
}

// stillValid checks an accepted file by other means than the stage's own checks.
func stillValid(t *testing.T, kind string, m mutation) {
	t.Helper()
	var tree map[string]any
	if err := json.Unmarshal(m.data, &tree); err != nil {
		t.Fatalf("%s: accepted, and not JSON: %v", m.name, err)
	}
	if bytes.Contains(m.data, []byte(`\u0000`)) {
		t.Fatalf("%s: a NUL was accepted", m.name)
	}
	lists := map[string]string{contracts.KindCorpus: "tools", contracts.KindGolden: "queries", contracts.KindSecurity: "entries", contracts.KindCases: "cases"}
	seen := map[any]bool{}
	for _, e := range tree[lists[kind]].([]any) {
		entry := e.(map[string]any)
		id := entry["id"]
		if kind == contracts.KindCorpus {
			id = entry["tool_id"]
		}
		if id == nil || id == "" || seen[id] {
			t.Fatalf("%s: the id %v was accepted twice, or is none", m.name, id)
		}
		seen[id] = true
		for _, field := range []string{"schema", "input_schema", "output_schema"} {
			if entry[field] == nil {
				continue
			}
			if schema, ok := entry[field].(map[string]any); !ok || !someDialect(schema) {
				t.Fatalf("%s: %v has a %s that is no JSON Schema: %v", m.name, id, field, entry[field])
			}
		}
		if notes, _ := entry["notes"].(string); kind == contracts.KindGolden && likeHardNegative().MatchString(notes) && !strings.HasPrefix(notes, "hard-negative: near-dup of ") {
			t.Fatalf("%s: the notes %q were accepted", m.name, notes)
		}
	}
}

func someDialect(schema map[string]any) bool {
	return slices.ContainsFunc(metaschemas(), func(s *jsonschema.Schema) bool { return s.Validate(schema) == nil })
}

// mutation is a damaged dataset. refuse is set if it can only be invalid.
type mutation struct {
	name, what string
	data       []byte
	refuse     bool
}

// required holds the fields that no object of a kind may lack, by the list that
// the object is in.
var required = map[string][]string{
	"":        {"queries", "corpus_version", "tools", "entries", "cases"},
	"tools":   {"tool_id", "server", "tool", "description", "schema"},
	"queries": {"id", "query", "labels"},
	"labels":  {"tool_id", "relevance"},
	"entries": {"id", "description", "label", "category", "provenance"},
	"cases":   {"id", "query", "expected"},
}

// place is an object of the dataset, the list that it is in, and whether it is
// part of free JSON, such as an argument schema.
type place struct {
	object map[string]any
	list   string
	free   bool
}

func placesIn(v any, list string, free bool) (all []place) {
	switch v := v.(type) {
	case map[string]any:
		all = append(all, place{v, list, free})
		for _, key := range slices.Sorted(maps.Keys(v)) {
			inner := free || slices.Contains([]string{"schema", "input_schema", "output_schema", "annotations", "parameters"}, key)
			name := "other"
			if _, isList := v[key].([]any); isList {
				name = key
			}
			all = append(all, placesIn(v[key], name, inner)...)
		}
	case []any:
		for _, e := range v {
			all = append(all, placesIn(e, list, free)...)
		}
	}
	return all
}

func mutate(t *testing.T, random *rand.Rand, kind string, data []byte) mutation {
	t.Helper()
	switch random.IntN(10) {
	case 0:
		end := random.IntN(len(bytes.TrimSpace(data)))
		return mutation{"cut", fmt.Sprintf("after %d bytes", end), data[:end], true}
	case 1:
		damaged := slices.Clone(data)
		at := random.IntN(len(damaged))
		damaged[at] = byte(random.IntN(256))
		return mutation{"byte", fmt.Sprintf("at %d", at), damaged, false}
	}
	var tree map[string]any
	if err := json.Unmarshal(data, &tree); err != nil {
		t.Fatal(err)
	}
	places := placesIn(tree, "", false)
	p := places[random.IntN(len(places))]
	for len(p.object) == 0 {
		p = places[random.IntN(len(places))]
	}
	keys := slices.Sorted(maps.Keys(p.object))
	key := keys[random.IntN(len(keys))]
	m := mutation{what: fmt.Sprintf("%s of %s, was %.60v", key, p.list, p.object[key])}
	switch random.IntN(6) {
	case 0:
		m.name, m.refuse = "dropped field", !p.free && slices.Contains(required[p.list], key)
		delete(p.object, key)
	case 1:
		// A number is a text nowhere, and a list of lists is nothing.
		m.name, m.refuse = "other type", !p.free
		p.object[key] = []any{[]any{1}}
	case 2:
		m.name, m.refuse = "unknown field", !p.free
		p.object["strange"] = "x"
	case 3:
		if text, ok := p.object[key].(string); ok {
			m.name, m.refuse = "NUL", true
			p.object[key] = text + "\x00"
			break
		}
		m.name, m.refuse = "null", !p.free
		p.object[key] = nil
	case 4:
		m.name, m.refuse = "same id twice", true
		list := map[string]string{contracts.KindCorpus: "tools", contracts.KindGolden: "queries", contracts.KindSecurity: "entries", contracts.KindCases: "cases"}[kind]
		entries := tree[list].([]any)
		again := maps.Clone(entries[random.IntN(len(entries))].(map[string]any))
		tree[list] = append(entries, again)
	case 5:
		m.name = "other text"
		if text, ok := p.object[key].(string); ok {
			texts := []string{"", " ", "Hard negative of nothing", strings.ToUpper(text), text + " ", "none", "v9", strings.Repeat("x", 2000), "\U000e0041", "xq"}
			p.object[key] = texts[random.IntN(len(texts))]
			m.refuse = !p.free && p.object[key] != text && slices.Contains([]string{"label", "category", "severity", "carrier", "expects", "corpus_version"}, key)
		}
	}
	damaged, err := json.Marshal(tree)
	if err != nil {
		t.Fatal(err)
	}
	m.data = damaged
	return m
}

// smallParts returns a valid part of each newest shipped dataset.
func smallParts(t *testing.T) map[string][]byte {
	t.Helper()
	const dir = "../../../datasets/"
	golden, err := contracts.Read[contracts.GoldenSet](dir + "golden_v2.json")
	if err != nil {
		t.Fatal(err)
	}
	corpus, err := contracts.Read[contracts.Corpus](dir + "corpus_v2.json")
	if err != nil {
		t.Fatal(err)
	}
	security, err := contracts.Read[contracts.SecurityCorpus](dir + "security_v2.json")
	if err != nil {
		t.Fatal(err)
	}
	cases, err := contracts.Read[contracts.CaseSet](dir + "cases_v2.json")
	if err != nil {
		t.Fatal(err)
	}
	none := slices.IndexFunc(golden.Queries, func(q contracts.Query) bool { return !q.Answerable() })
	golden.Queries = append(golden.Queries[:8:8], golden.Queries[none])
	golden.TestShare = 0
	cases.Cases = cases.Cases[:8]
	needed := map[string]bool{}
	for _, q := range golden.Queries {
		for _, l := range q.Labels {
			needed[l.ToolID] = true
		}
		if _, id, ok := strings.Cut(q.Notes, "near-dup of "); ok {
			needed[firstField(id)] = true
		}
	}
	servers := map[string]bool{}
	for _, c := range cases.Cases {
		for _, s := range c.Servers {
			servers[s] = true
		}
		for _, e := range c.Expected {
			needed[e.Server+":"+e.Tool] = true
		}
	}
	corpus.Tools = slices.DeleteFunc(corpus.Tools, func(tool contracts.Tool) bool {
		if servers[tool.Server] {
			delete(servers, tool.Server)
			return false
		}
		return !needed[tool.ToolID]
	})
	security.Entries = partOf(security.Entries)
	parts := map[string][]byte{}
	for kind, v := range map[string]any{contracts.KindCorpus: corpus, contracts.KindGolden: golden, contracts.KindSecurity: security, contracts.KindCases: cases} {
		data, err := contracts.Encode(kind, v)
		if err != nil {
			t.Fatal(err)
		}
		parts[kind] = data
	}
	return parts
}

// partOf keeps an attack and a hard negative of each category, with their twins,
// and an innocent entry.
func partOf(entries []contracts.SecurityEntry) []contracts.SecurityEntry {
	keep := map[string]bool{}
	have := map[string]bool{}
	for _, e := range entries {
		what := e.Category + e.HardNegativeFor
		if !have[what] {
			have[what] = true
			keep[e.ID] = true
			if e.Twin != "" {
				keep[e.Twin] = true
			}
		}
	}
	return slices.DeleteFunc(slices.Clone(entries), func(e contracts.SecurityEntry) bool { return !keep[e.ID] })
}
