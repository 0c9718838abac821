package convert

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/touchstone-eval/touchstone/contracts"
)

// The kinds of dataset that Import reads.
const (
	KindCorpus   = "corpus"
	KindGolden   = "golden"
	KindSecurity = "security"
)

// ImportOptions supply what a file of another project does not contain.
type ImportOptions struct {
	// Version is the version of the dataset. If it is empty, the version in
	// the file is kept. Fallback is the version if there is none in the file.
	Version, Fallback string
	// Corpus is the corpus of a golden set. If it has every labelled tool, its
	// version replaces the corpus version in the file.
	Corpus *contracts.Corpus
	// Schemas supplies argument schemas for tools of a corpus that have none.
	Schemas *contracts.Corpus
	// Licenses maps a licence as written in the file to its SPDX identifier.
	Licenses map[string]string
	// DropCategories lists categories of a security corpus to leave out.
	DropCategories []string
	// Source and License are those of a dataset of a named format, whose files do
	// not contain them. License is an SPDX identifier.
	Source, License string
	// Attacks maps server:tool to an attack category, for sources of servers.
	Attacks map[string]string
}

// Imported is a converted dataset; one of the three pointers is set. Each note
// says what was mapped, added or dropped.
type Imported struct {
	Kind     string
	Corpus   *contracts.Corpus
	Golden   *contracts.GoldenSet
	Security *contracts.SecurityCorpus
	Notes    []string
}

// Value returns the dataset.
func (i Imported) Value() any {
	switch i.Kind {
	case KindCorpus:
		return *i.Corpus
	case KindGolden:
		return *i.Golden
	}
	return *i.Security
}

// Entries is the number of tools, queries or security entries.
func (i Imported) Entries() int {
	switch i.Kind {
	case KindCorpus:
		return len(i.Corpus.Tools)
	case KindGolden:
		return len(i.Golden.Queries)
	}
	return len(i.Security.Entries)
}

// Import reads a dataset in the format that mcpproxy-go publishes: a corpus (an
// object with "tools"), a golden set ("queries"), a security corpus or the
// corpus of its detectors ("entries"). file is its name for messages. The notes
// list every field that could not be converted, with the number of its
// occurrences.
func Import(file string, data []byte, opts ImportOptions) (Imported, error) {
	var top map[string]json.RawMessage
	if err := json.Unmarshal(data, &top); err != nil {
		if wrongType := (*json.UnmarshalTypeError)(nil); errors.As(err, &wrongType) {
			return Imported{}, fmt.Errorf("%s is a JSON %s, not an object: if it is a dataset in another format, "+
				"name that with --format", file, wrongType.Value)
		}

		return Imported{}, fmt.Errorf("%s is not JSON: %w", file, err)
	}

	im := &importer{file: file, opts: opts, dropped: map[string]int{}, mapped: map[string]int{}}
	root := &object{im: im, fields: top}
	var out Imported
	var err error
	switch {
	case root.has("tools"):
		out.Kind = KindCorpus
		out.Corpus, err = im.corpus(root)
	case root.has("queries"):
		out.Kind = KindGolden
		out.Golden, err = im.golden(root)
	case root.has("entries"):
		out.Kind = KindSecurity
		out.Security, err = im.security(root)
	default:
		return out, fmt.Errorf("%s is not a dataset that can be imported: it has neither \"tools\" (a corpus), nor "+
			"\"queries\" (a golden set), nor \"entries\" (a security corpus)", file)
	}

	if err != nil {
		return out, fmt.Errorf("%s: %w", file, err)
	}

	root.rest("")
	out.Notes = im.notes()
	return out, nil
}

// importer counts the changes that it makes to a file.
type importer struct {
	file    string
	opts    ImportOptions
	dropped map[string]int // path of a dropped field to its number of occurrences
	mapped  map[string]int // description of a change to its number of occurrences
}

func (im *importer) recordMapping(format string, args ...any) {
	im.mapped[fmt.Sprintf(format, args...)]++
}

func (im *importer) notes() []string {
	var notes []string
	for _, what := range slices.Sorted(maps.Keys(im.mapped)) {
		notes = append(notes, counted(what, im.mapped[what]))
	}
	for _, path := range slices.Sorted(maps.Keys(im.dropped)) {
		notes = append(notes, counted("dropped, because our format has no such field: "+path, im.dropped[path]))
	}
	return notes
}

func counted(what string, n int) string {
	if n == 1 {
		return what
	}
	return fmt.Sprintf("%s (%d times)", what, n)
}

// object is a JSON object from which fields are removed as they are read.
type object struct {
	im     *importer
	fields map[string]json.RawMessage
}

func (o *object) has(name string) bool { _, ok := o.fields[name]; return ok }

// take moves a field into v. If the field is absent, v stays unchanged.
func (o *object) take(name string, v any) error {
	raw, ok := o.fields[name]
	if !ok {
		return nil
	}
	delete(o.fields, name)
	if err := json.Unmarshal(raw, v); err != nil {
		return fmt.Errorf("field %q: %w", name, err)
	}
	return nil
}

// all calls take for several fields.
func (o *object) all(into map[string]any) error {
	for _, name := range slices.Sorted(maps.Keys(into)) {
		if err := o.take(name, into[name]); err != nil {
			return err
		}
	}
	return nil
}

// object takes a field that is an object. An absent field gives an empty object.
func (o *object) object(name string) (*object, error) {
	inner := &object{im: o.im, fields: map[string]json.RawMessage{}}
	return inner, o.take(name, &inner.fields)
}

// list takes a field that is a list of objects.
func (o *object) list(name string) ([]*object, error) {
	var items []map[string]json.RawMessage
	if err := o.take(name, &items); err != nil {
		return nil, err
	}
	out := make([]*object, len(items))
	for i, fields := range items {
		out[i] = &object{im: o.im, fields: fields}
	}
	return out, nil
}

// rest counts the fields that were not taken.
func (o *object) rest(path string) {
	for name := range o.fields {
		o.im.dropped[strings.TrimPrefix(path+"."+name, ".")]++
	}
}

// source takes generated_from, or derives it from other fields.
func (im *importer) source(root *object) (contracts.GeneratedFrom, error) {
	var from contracts.GeneratedFrom
	o, err := root.object("generated_from")
	if err != nil {
		return from, err
	}

	err = o.all(map[string]any{"source": &from.Source, "note": &from.Note, "license": &from.License,
		"date": &from.Date})
	if err != nil {
		return from, fmt.Errorf("generated_from: %w", err)
	}

	o.rest("generated_from")
	if from.Note == "" && root.has("description") {
		if err := root.take("description", &from.Note); err != nil {
			return from, err
		}

		im.recordMapping("description became generated_from.note")
	}

	if from.Source == "" {
		from.Source = "imported from " + im.file
		im.recordMapping("generated_from.source was set to the name of the file")
	}

	from.License, err = im.license(from.License)
	return from, err
}

// license maps a licence as written in the file.
func (im *importer) license(as string) (string, error) {
	to, ok := im.opts.Licenses[as]
	if ok && as != "" {
		im.recordMapping("licence %q became %s, because of --license", as, to)
		return to, nil
	}
	return as, nil
}

func (im *importer) version(root *object) (string, error) {
	var version string
	if err := root.take("version", &version); err != nil {
		return "", err
	}
	if im.opts.Version != "" && im.opts.Version != version {
		im.recordMapping("version %q became %q, because of --version", version, im.opts.Version)
	}
	version = cmp.Or(version, im.opts.Fallback, "imported")
	return cmp.Or(im.opts.Version, version), nil
}

// emptySchema replaces a missing argument schema.
var emptySchema = json.RawMessage(`{"type":"object"}`)

func (im *importer) corpus(root *object) (*contracts.Corpus, error) {
	var c contracts.Corpus
	var err error
	if c.Version, err = im.version(root); err != nil {
		return nil, err
	}

	if c.GeneratedFrom, err = im.source(root); err != nil {
		return nil, err
	}

	tools, err := root.list("tools")
	if err != nil {
		return nil, err
	}

	for i, o := range tools {
		var t contracts.Tool
		err := o.all(map[string]any{
			"tool_id": &t.ToolID, "server": &t.Server, "tool": &t.Tool, "description": &t.Description,
			"schema":        &t.Schema,
			"output_schema": &t.OutputSchema, "annotations": &t.Annotations,
		})
		if err != nil {
			return nil, fmt.Errorf("tool %d: %w", i+1, err)
		}

		if t.Schema == nil {
			t.Schema = im.borrowedSchema(t.ToolID)
		}

		if t.Schema == nil {
			t.Schema = emptySchema
			im.recordMapping(`a tool without a schema got {"type":"object"}`)
		}

		o.rest("tools[]")
		c.Tools = append(c.Tools, t)
	}

	return &c, nil
}

// borrowedSchema returns the schema that opts.Schemas has for a tool, or nil.
func (im *importer) borrowedSchema(id contracts.ToolID) json.RawMessage {
	if im.opts.Schemas == nil {
		return nil
	}
	for _, t := range im.opts.Schemas.Tools {
		if t.ToolID == id {
			im.recordMapping("a tool without a schema got the schema from corpus %s", im.opts.Schemas.Version)
			return t.Schema
		}
	}
	return nil
}

func (im *importer) golden(root *object) (*contracts.GoldenSet, error) {
	var g contracts.GoldenSet
	var err error
	if g.Version, err = im.version(root); err != nil {
		return nil, err
	}

	if root.has("generated_from") {
		from, err := im.source(root)
		if err != nil {
			return nil, err
		}

		g.GeneratedFrom = &from
	}

	if err := root.take("corpus_version", &g.CorpusVersion); err != nil {
		return nil, err
	}

	queries, err := root.list("queries")
	if err != nil {
		return nil, err
	}

	known := map[contracts.ToolID]bool{}
	if c := im.opts.Corpus; c != nil {
		for _, t := range c.Tools {
			known[t.ToolID] = true
		}

		if c.Version != g.CorpusVersion {
			im.recordMapping("corpus_version %q became %q: the given corpus has every labelled tool", g.CorpusVersion,
				c.Version)
			g.CorpusVersion = c.Version
		}
	}

	for i, o := range queries {
		var q contracts.Query
		if err := o.all(map[string]any{"id": &q.ID, "query": &q.Query, "notes": &q.Notes, "language": &q.Language,
			"tags": &q.Tags, "expects": &q.Expects}); err != nil {
			return nil, fmt.Errorf("query %d: %w", i+1, err)
		}

		labels, err := o.list("labels")
		if err != nil {
			return nil, fmt.Errorf("query %s: %w", q.ID, err)
		}

		for _, l := range labels {
			var label contracts.Label
			if err := l.all(map[string]any{"tool_id": &label.ToolID, "relevance": &label.Relevance}); err != nil {
				return nil, fmt.Errorf("query %s: %w", q.ID, err)
			}

			if im.opts.Corpus != nil && !known[label.ToolID] {
				return nil, fmt.Errorf("query %s: its label %q is not a tool of corpus %s: give the corpus of this "+
					"golden set", q.ID, label.ToolID, im.opts.Corpus.Version)
			}

			l.rest("queries[].labels[]")
			q.Labels = append(q.Labels, label)
		}

		o.rest("queries[]")
		g.Queries = append(g.Queries, q)
	}

	return &g, nil
}
