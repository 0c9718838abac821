package convert

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/dustin/go-humanize/english"

	"github.com/touchstone-eval/touchstone/contracts"
	"github.com/touchstone-eval/touchstone/internal/base/readlimit"
	"github.com/touchstone-eval/touchstone/internal/scan/source"
	"github.com/touchstone-eval/touchstone/metrics/trec"
)

// readServerSources reads the tools that are defined in sources of servers. The
// directory of a file is the server. With ImportOptions.Attacks, which maps
// server:tool to a category, the tools are a security corpus.
func readServerSources(im *importer, files []File) ([]Imported, error) {
	var tools []contracts.Tool
	for _, f := range files {
		if !source.Supported(f.Name) {
			im.recordMapping("left out: a file in a language that is not read")
			continue
		}

		found, err := source.Find(f.Name, string(f.Data))
		if err != nil {
			im.recordMapping("left out: a file that cannot be parsed")
			continue
		}

		for range found.Problems {
			im.recordMapping("left out: a part of a tool that the server computes when it runs")
		}

		server := serverName(path.Base(path.Dir(f.Name)))
		if server == "." {
			server = serverName(caseFile(f.Name))
		}

		for _, d := range found.Definitions {
			if d.Kind == source.Tool && d.Name != "" {
				tools = append(tools, contracts.Tool{Server: server, Tool: d.Name, Description: d.Description})
			}
		}
	}

	corpus, err := im.newCorpus(tools)
	if err != nil || len(im.opts.Attacks) == 0 {
		return []Imported{corpus}, err
	}

	attacks := maps.Clone(im.opts.Attacks)
	var entries []contracts.SecurityEntry
	for _, t := range corpus.Corpus.Tools {
		e := contracts.SecurityEntry{ID: t.ToolID, Server: t.Server, Name: t.Tool, Description: t.Description,
			Label: contracts.LabelBenign, Category: contracts.CategoryBenign}
		if category, ok := attacks[t.ToolID]; ok {
			delete(attacks, t.ToolID)
			e.Label, e.Category = contracts.LabelMalicious, category
			e.Severity, e.Technique, e.Carrier = "high", slug(category), contracts.CarrierDescription
		}

		entries = append(entries, e)
	}

	for _, id := range slices.Sorted(maps.Keys(attacks)) {
		return nil, fmt.Errorf("%s: no file defines %s, which is named as an attack; correct the name, which is "+
			"DIRECTORY:TOOL", im.file, id)
	}

	return im.newSecurity(entries)
}

// readToolRet reads ToolRet (Shi et al., ACL Findings 2025), whose tables have to
// be exported as JSON or JSON lines: rows with documentation are tools, rows with
// labels are queries. ToolRet has no servers; all tools are those of one.
func readToolRet(im *importer, files []File) ([]Imported, error) {
	var tools []contracts.Tool
	var queries []contracts.Query
	for _, f := range files {
		rows, err := im.rows(f)
		if err != nil {
			return nil, err
		}

		for i, o := range rows {
			switch {
			case o.has("documentation"):
				tool, err := toolRetTool(o)
				if err != nil {
					return nil, fmt.Errorf("%s: row %d: %w", f.Name, i+1, err)
				}

				tools = append(tools, tool)
			case o.has("labels"):
				q, err := toolRetQuery(o)
				if err != nil {
					return nil, fmt.Errorf("%s: row %d: %w", f.Name, i+1, err)
				}

				queries = append(queries, q)
			default:
				return nil, fmt.Errorf("%s: row %d has neither \"documentation\" (a tool) nor \"labels\" (a query); "+
					"check that it is a table of ToolRet", f.Name, i+1)
			}
		}
	}

	return im.corpusAndGolden(tools, queries)
}

const toolRetServer = "toolret"

func toolRetTool(o *object) (contracts.Tool, error) {
	t := contracts.Tool{Server: toolRetServer}
	var documentation json.RawMessage
	if err := o.all(map[string]any{"id": &t.Tool, "documentation": &documentation}); err != nil {
		return t, err
	}

	if t.Tool == "" {
		return t, fmt.Errorf("the tool has no id")
	}

	text, err := textOrJSON(documentation)
	if err != nil {
		return t, err
	}

	t.Description = text
	// The documentation is mostly a JSON object, of which the name and the
	// description are what a server would list.
	var d struct {
		Name        string          `json:"name"`
		Description string          `json:"description"`
		Parameters  json.RawMessage `json:"parameters"`
	}
	if json.Unmarshal([]byte(text), &d) == nil && d.Description != "" {
		t.Description = strings.TrimSpace(d.Name + "\n" + d.Description)
		if schema := objectOf(d.Parameters); schema != nil && bytes.Contains(schema, []byte(`"properties"`)) {
			t.Schema = schema
		}
	}

	return t, nil
}

// textOrJSON returns a JSON string's text, or the text of any other JSON.
func textOrJSON(raw json.RawMessage) (string, error) {
	if len(raw) == 0 || raw[0] != '"' {
		return string(raw), nil
	}
	var s string
	return s, json.Unmarshal(raw, &s)
}

func toolRetQuery(o *object) (contracts.Query, error) {
	var q contracts.Query
	var raw json.RawMessage
	if err := o.all(map[string]any{"id": &q.ID, "query": &q.Query, "labels": &raw}); err != nil {
		return q, err
	}

	text, err := textOrJSON(raw)
	if err != nil {
		return q, err
	}

	var labels []struct {
		ID        string `json:"id"`
		Relevance *int   `json:"relevance"`
	}
	if err := json.Unmarshal([]byte(text), &labels); err != nil {
		return q, fmt.Errorf("labels: %w", err)
	}

	for _, l := range labels {
		relevance := maxRelevance
		if l.Relevance != nil && *l.Relevance <= 0 {
			relevance = 0
		}

		q.Labels = append(q.Labels, contracts.Label{ToolID: toolRetServer + ":" + l.ID, Relevance: relevance})
	}

	return q, nil
}

// corpusAndGolden makes both datasets of a retrieval benchmark.
func (im *importer) corpusAndGolden(tools []contracts.Tool, queries []contracts.Query) ([]Imported, error) {
	corpus, err := im.newCorpus(tools)
	if err != nil {
		return nil, err
	}

	seen := map[string]int{}
	for i := range queries {
		q := &queries[i]
		q.ID = plainID(q.ID)
		if q.ID == "" || strings.TrimSpace(q.Query) == "" {
			return nil, fmt.Errorf("%s: query %d (%q) has no id or no text; correct its row", im.file, i+1, q.ID)
		}

		if seen[q.ID]++; seen[q.ID] > 1 {
			im.recordMapping("a query with the id of an earlier one got another id")
			q.ID = fmt.Sprintf("%s-%d", q.ID, seen[q.ID])
		}
	}

	if len(queries) == 0 {
		im.recordMapping("there are no queries, so there is no golden set")
		return []Imported{corpus}, nil
	}

	golden, err := im.newGolden(corpus.Corpus, queries)
	return []Imported{corpus, golden}, err
}

// readBEIR reads a collection in the format of BEIR (Thakur et al., NeurIPS 2021).
// Its documents are the tools of one server, named by their ids.
func readBEIR(im *importer, files []File) ([]Imported, error) {
	const server = "beir"
	var tools []contracts.Tool
	var queries []contracts.Query
	labels := map[string][]contracts.Label{}
	for _, f := range files {
		if path.Ext(f.Name) == ".tsv" {
			if err := readBEIRQrels(f, server, labels); err != nil {
				return nil, err
			}

			continue
		}

		rows, err := im.rows(f)
		if err != nil {
			return nil, err
		}

		isCorpus := strings.HasPrefix(path.Base(f.Name), "corpus")
		for i, o := range rows {
			var id, title, text string
			if err := o.all(map[string]any{"_id": &id, "title": &title, "text": &text}); err != nil {
				return nil, fmt.Errorf("%s: row %d: %w", f.Name, i+1, err)
			}

			if id == "" {
				return nil, fmt.Errorf("%s: row %d has no _id; check that it is a file of BEIR", f.Name, i+1)
			}

			if isCorpus {
				tools = append(tools, contracts.Tool{Server: server, Tool: id,
					Description: strings.TrimSpace(title + "\n" + text)})
			} else {
				queries = append(queries, contracts.Query{ID: id, Query: text})
			}
		}
	}

	for i := range queries {
		queries[i].Labels = labels[queries[i].ID]
	}

	return im.corpusAndGolden(tools, queries)
}

// readBEIRQrels reads a table of query-id, corpus-id and score, whose first line
// is a head.
func readBEIRQrels(f File, server string, labels map[string][]contracts.Label) error {
	number := 0
	for line := range bytes.Lines(readlimit.WithoutMark(f.Data)) {
		number++
		fields := strings.Split(strings.TrimRight(string(line), "\r\n"), "\t")
		if len(fields) == 1 && fields[0] == "" {
			continue
		}

		if len(fields) != 3 {
			return fmt.Errorf("%s:%d: the line has %s and not 3; write query, document and score with tabs between "+
				"them", f.Name, number, english.Plural(len(fields), "field", ""))
		}

		score, err := strconv.Atoi(fields[2])
		if err != nil {
			if number == 1 {
				continue // the head
			}

			return fmt.Errorf("%s:%d: the score %q is not a whole number", f.Name, number, fields[2])
		}

		labels[fields[0]] = append(labels[fields[0]],
			contracts.Label{ToolID: server + ":" + fields[1], Relevance: score})
	}

	return nil
}

// readTREC reads topics and qrels in the formats of TREC over a corpus in ours.
func readTREC(im *importer, files []File) ([]Imported, error) {
	var corpus contracts.Corpus
	var qrels trec.Qrels
	var topics []Topic
	have := map[string]bool{}
	for _, f := range files {
		var err error
		base := path.Base(f.Name)
		switch {
		case have[base]:
			return nil, fmt.Errorf("%s: there are two files %s; name a directory with one", im.file, base)
		case base == "corpus.json":
			corpus, err = contracts.Decode[contracts.Corpus](f.Name, f.Data)
		case base == "topics.tsv":
			topics, err = ReadTopics(f.Name, bytes.NewReader(f.Data))
		default:
			qrels, err = trec.ReadQrels(f.Name, bytes.NewReader(f.Data))
		}

		if err != nil {
			return nil, err
		}

		have[base] = true
	}

	for _, base := range []string{"corpus.json", "topics.tsv", "qrels.txt"} {
		if !have[base] {
			return nil, fmt.Errorf("%s: there is no %s", im.file, base)
		}
	}

	corpus.Version = cmp.Or(im.opts.Version, corpus.Version)
	golden, unjudged, err := GoldenSet(corpus, qrels, topics)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", im.file, err)
	}

	golden.Version = corpus.Version
	for range unjudged {
		im.recordMapping("left out: a topic without a judgement")
	}

	return []Imported{{Kind: KindCorpus, Corpus: &corpus}, {Kind: KindGolden, Golden: &golden}}, nil
}
