package convert

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/touchstone-eval/touchstone/contracts"
	"github.com/touchstone-eval/touchstone/internal/base/readlimit"
	"github.com/touchstone-eval/touchstone/internal/data/validation"
)

// File is a file of a dataset of another project. Name is its path in the
// dataset, with slashes.
type File struct {
	Name string
	Data []byte
}

// Format is a format of other projects that has to be named, because its files
// do not say what they are.
type Format struct {
	Name, About string
	// Files are patterns of the files that the format consists of, as path.Match
	// has them. A pattern without a slash is about the last part of a name.
	Files []string
	read  func(*importer, []File) ([]Imported, error)
}

// formats lists the formats by name. A reader says in a note what it leaves out.
var formats = []Format{
	{"agent-egress-bench", "cases of agent-egress-bench that list tools: a security corpus", []string{"*.json"},
		readEgressBench},
	{"beir", "corpus.jsonl, queries.jsonl and qrels/*.tsv: documents as tools, and a golden set",
		[]string{"corpus.jsonl", "queries.jsonl", "qrels/*.tsv"}, readBEIR},
	{"injecagent", "cases of InjecAgent: texts of tool results as a security corpus",
		[]string{"test_cases_*.json", "test_cases_*.jsonl"}, readInjecAgent},
	{"livemcpbench", "the servers of LiveMCPBench, and its tasks with their tools: a tool corpus and a golden set",
		[]string{"tools.json", "all_annotations.json"}, readLiveMCPBench},
	{"mcp-guardbench", "cases of mcp-guardbench that list tools or instructions: a security corpus", []string{"*.json"},
		readGuardBench},
	{"mcpproxy-go", "the datasets that mcpproxy-go publishes, one of each kind",
		[]string{"corpus_*.json", "retrieval_golden_*.json", "security_corpus_*.json", "detect_corpus_*.json"},
		readPublished},
	{"mcptox", "response_all.json or pure_tool.json of MCPTox: a security corpus",
		[]string{"response_all.json", "pure_tool.json"}, readMCPTox},
	{"metatool", "the tools of MetaTool, and its queries for one tool and for two: a tool corpus and a golden set",
		[]string{"plugin_des.json", "all_clean_data.csv", "multi_tool_query_golden.json"}, readMetaTool},
	{"server-sources", "sources of servers, such as those of Damn Vulnerable MCP Server: a tool corpus, or with the " +
		"attacks named a security corpus", []string{"*.py", "*.ts", "*.js", "*.go"}, readServerSources},
	{"toolret", "tools and queries of ToolRet as JSON or JSON lines: a tool corpus and a golden set",
		[]string{"*.json", "*.jsonl"}, readToolRet},
	{"trec", "corpus.json, topics.tsv and qrels.txt: a tool corpus and a golden set",
		[]string{"corpus.json", "topics.tsv", "qrels.txt"}, readTREC},
}

// Formats returns the formats by name.
func Formats() []Format { return slices.Clone(formats) }

// FormatByName returns the format of that name. ok is false if there is none.
func FormatByName(name string) (f Format, ok bool) {
	i := slices.IndexFunc(formats, func(f Format) bool { return f.Name == name })
	if i < 0 {
		return Format{}, false
	}
	return formats[i], true
}

// Matches reports whether the format has a file of this name.
func (f Format) Matches(name string) bool {
	return slices.ContainsFunc(f.Files, func(pattern string) bool {
		whole := name
		if !strings.Contains(pattern, "/") {
			whole = path.Base(name)
		} else if parts := strings.Split(name, "/"); len(parts) > strings.Count(pattern, "/")+1 {
			whole = strings.Join(parts[len(parts)-strings.Count(pattern, "/")-1:], "/")
		}
		ok, err := path.Match(pattern, whole)
		return ok && err == nil
	})
}

// Import reads the files of a dataset called name. It returns one dataset of
// each kind at most, a corpus before its golden set. The first one has the notes.
func (f Format) Import(name string, files []File, opts ImportOptions) ([]Imported, error) {
	if len(files) == 0 {
		return nil, fmt.Errorf("%s: there is no file of the format %s, which consists of %s", name, f.Name,
			strings.Join(f.Files, ", "))
	}

	im := &importer{file: name, opts: opts, dropped: map[string]int{}, mapped: map[string]int{}}
	all, err := f.read(im, files)
	if err != nil {
		return nil, err
	}

	from := contracts.GeneratedFrom{Source: cmp.Or(opts.Source, "imported from "+name), License: opts.License}
	for _, one := range all {
		switch {
		case one.Corpus != nil && one.Corpus.GeneratedFrom.Source != "": // it is in our format
		case one.Corpus != nil:
			one.Corpus.GeneratedFrom = from
		case one.Golden != nil:
			one.Golden.GeneratedFrom = &from
		case one.Security != nil:
			one.Security.GeneratedFrom = from
		}
	}

	if len(all) > 0 {
		all[0].Notes = im.notes()
	}

	return all, nil
}

// datasetVersion is the version of what is imported.
func (im *importer) datasetVersion() string {
	return cmp.Or(im.opts.Version, im.opts.Fallback, "imported")
}

// newCorpus makes a corpus of tools. A tool that is there twice is kept once.
func (im *importer) newCorpus(tools []contracts.Tool) (Imported, error) {
	if len(tools) == 0 {
		return Imported{}, fmt.Errorf("%s: there is no tool in its files; check that they belong to the format",
			im.file)
	}

	c := &contracts.Corpus{Version: im.datasetVersion()}
	seen := map[contracts.ToolID]bool{}
	for _, t := range tools {
		t.ToolID = t.Server + ":" + t.Tool
		if seen[t.ToolID] {
			im.recordMapping("left out: a tool with the id of an earlier one")
			continue
		}

		seen[t.ToolID] = true
		if len(t.Schema) == 0 || t.Schema[0] != '{' {
			t.Schema = emptySchema
			im.recordMapping(`a tool without a schema got {"type":"object"}`)
		}

		c.Tools = append(c.Tools, t)
	}

	return Imported{Kind: KindCorpus, Corpus: c}, nil
}

// newGolden makes a golden set over a corpus. Labels for other tools are left out,
// and so are queries without a right tool, and those that name one.
func (im *importer) newGolden(corpus *contracts.Corpus, queries []contracts.Query) (Imported, error) {
	known := map[contracts.ToolID]*contracts.Tool{}
	for i := range corpus.Tools {
		known[corpus.Tools[i].ToolID] = &corpus.Tools[i]
	}

	g := &contracts.GoldenSet{Version: corpus.Version, CorpusVersion: corpus.Version}
	for _, q := range queries {
		right := false
		q.Labels = slices.DeleteFunc(q.Labels, func(l contracts.Label) bool {
			if known[l.ToolID] == nil {
				im.recordMapping("left out: a label for a tool that is not in the corpus")
			}

			return known[l.ToolID] == nil || l.Relevance < 0
		})
		named := false
		for i := range q.Labels {
			if q.Labels[i].Relevance > maxRelevance {
				q.Labels[i].Relevance = maxRelevance
				im.recordMapping("a relevance above %d became %d", maxRelevance, maxRelevance)
			}

			if q.Labels[i].Relevance > 0 {
				right = true
				named = named || validation.NamesTool(q.Query, known[q.Labels[i].ToolID])
			}
		}

		if !right {
			im.recordMapping("left out: a query without a right tool")
			continue
		}

		if named {
			im.recordMapping("left out: a query that names a tool that is right for it")
			continue
		}

		g.Queries = append(g.Queries, q)
	}

	if len(g.Queries) == 0 {
		return Imported{}, fmt.Errorf("%s: no query has a label for a tool of the corpus that it does not name; "+
			"check that the files belong together", im.file)
	}

	return Imported{Kind: KindGolden, Golden: g}, nil
}

// newSecurity makes a security corpus. Entries get the licence and the source of
// the dataset.
func (im *importer) newSecurity(entries []contracts.SecurityEntry) ([]Imported, error) {
	if len(entries) == 0 {
		return nil, fmt.Errorf("%s: there is no definition of a tool in its files; check that they belong to the "+
			"format", im.file)
	}

	seen := map[string]int{}
	for i := range entries {
		e := &entries[i]
		e.ID = plainID(e.ID)
		if seen[e.ID]++; seen[e.ID] > 1 {
			e.ID = fmt.Sprintf("%s-%d", e.ID, seen[e.ID])
		}

		e.Provenance.Source = cmp.Or(im.opts.Source, im.file)
		e.Provenance.License = cmp.Or(im.opts.License, "NOASSERTION")
	}

	s := &contracts.SecurityCorpus{Version: im.datasetVersion(), Entries: entries}
	return []Imported{{Kind: KindSecurity, Security: s}}, nil
}

// plainID replaces the white space and control characters of an id.
func plainID(id string) string {
	id = strings.Map(func(r rune) rune {
		if r <= ' ' || r >= 0x7f && r <= 0xa0 {
			return '-'
		}
		return r
	}, strings.TrimSpace(id))
	return strings.ToValidUTF8(id[:min(len(id), 200)], "")
}

// serverName is a name that a server of a corpus may have.
func serverName(name string) string {
	return cmp.Or(strings.ReplaceAll(plainID(name), ":", "-"), "unnamed")
}

// rows reads a JSON list of objects, one object a line, or an object with such a
// list as its tools or queries.
func (im *importer) rows(f File) ([]*object, error) {
	data := bytes.TrimSpace(readlimit.WithoutMark(f.Data))
	var list []map[string]json.RawMessage
	var whole struct{ Tools, Queries json.RawMessage }
	if json.Unmarshal(data, &whole) == nil {
		if rows := cmp.Or(string(whole.Tools), string(whole.Queries)); strings.HasPrefix(rows, "[") {
			data = []byte(rows)
		}
	}

	if len(data) > 0 && data[0] == '[' {
		if err := json.Unmarshal(data, &list); err != nil {
			return nil, fmt.Errorf("%s: it is not a list of JSON objects: %w", f.Name, err)
		}
	} else {
		number := 0
		for line := range bytes.Lines(data) {
			number++
			if line = bytes.TrimSpace(line); len(line) == 0 {
				continue
			}

			var fields map[string]json.RawMessage
			if err := json.Unmarshal(line, &fields); err != nil || fields == nil {
				return nil, fmt.Errorf("%s:%d: the line is not a JSON object; write one object a line, or one list",
					f.Name, number)
			}

			list = append(list, fields)
		}
	}

	objects := make([]*object, len(list))
	for i, fields := range list {
		if fields == nil {
			return nil, fmt.Errorf("%s: element %d is not a JSON object", f.Name, i+1)
		}

		objects[i] = &object{im: im, fields: fields}
	}

	return objects, nil
}
