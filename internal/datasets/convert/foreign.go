package convert

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/touchstone-eval/touchstone/contracts"
)

// Kinds of dataset that Import reads.
const (
	KindCorpus   = "corpus"
	KindGolden   = "golden"
	KindSecurity = "security"
)

// ImportOptions is what a file of another project cannot say itself.
type ImportOptions struct {
	// Version names the dataset; empty keeps the file's own name for it.
	Version string
	// Corpus is what a golden set is for. Its version takes the place of the
	// one that the file names, when it has every tool that is labelled.
	Corpus *contracts.Corpus
	// Schemas lends argument schemas to tools of a corpus that have none.
	Schemas *contracts.Corpus
	// Licenses maps a licence as the file writes it to its SPDX identifier.
	Licenses map[string]string
	// DropCategories are categories of a security corpus to leave out.
	DropCategories []string
}

// Imported is a dataset in the form of ours: one of the three is set. Notes
// say, one a line, what was mapped, added and dropped.
type Imported struct {
	Kind     string
	Corpus   *contracts.Corpus
	Golden   *contracts.GoldenSet
	Security *contracts.SecurityCorpus
	Notes    []string
}

// Value is the dataset that is set.
func (i Imported) Value() any {
	switch i.Kind {
	case KindCorpus:
		return *i.Corpus
	case KindGolden:
		return *i.Golden
	}
	return *i.Security
}

// Import reads a dataset as mcpproxy-go publishes it: a corpus (an object with
// "tools"), a golden set ("queries"), a security corpus or the corpus of its
// detectors ("entries"). file names it in messages. Every field that has no
// place in ours is named in the notes with how often it stood there.
func Import(file string, data []byte, opts ImportOptions) (Imported, error) {
	var top map[string]json.RawMessage
	if err := json.Unmarshal(data, &top); err != nil {
		return Imported{}, fmt.Errorf("%s is not a JSON object: %w", file, err)
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
		return out, fmt.Errorf("%s is no dataset that can be imported: it has neither \"tools\" (a corpus), nor \"queries\" (a golden set), nor \"entries\" (a security corpus)", file)
	}
	if err != nil {
		return out, fmt.Errorf("%s: %w", file, err)
	}
	root.rest("")
	out.Notes = im.notes()
	return out, nil
}

// importer counts what it does to a file.
type importer struct {
	file    string
	opts    ImportOptions
	dropped map[string]int // path of a field to how often it was left out
	mapped  map[string]int // what was done to how often
}

func (im *importer) did(format string, args ...any) { im.mapped[fmt.Sprintf(format, args...)]++ }

func (im *importer) notes() []string {
	var notes []string
	for _, what := range slices.Sorted(maps.Keys(im.mapped)) {
		notes = append(notes, counted(what, im.mapped[what]))
	}
	for _, path := range slices.Sorted(maps.Keys(im.dropped)) {
		notes = append(notes, counted("dropped, there is no place for it: "+path, im.dropped[path]))
	}
	return notes
}

func counted(what string, n int) string {
	if n == 1 {
		return what
	}
	return fmt.Sprintf("%s (%d times)", what, n)
}

// object is a JSON object whose fields are taken out one by one.
type object struct {
	im     *importer
	fields map[string]json.RawMessage
}

func (o *object) has(name string) bool { _, ok := o.fields[name]; return ok }

// take moves a field into v; an absent one leaves v as it is.
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

// all takes several fields.
func (o *object) all(into map[string]any) error {
	for _, name := range slices.Sorted(maps.Keys(into)) {
		if err := o.take(name, into[name]); err != nil {
			return err
		}
	}
	return nil
}

// object takes a field that is an object; an absent one is empty.
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

// rest counts what nobody took.
func (o *object) rest(path string) {
	for name := range o.fields {
		o.im.dropped[strings.TrimPrefix(path+"."+name, ".")]++
	}
}

// source takes generated_from, or what a file has instead of it.
func (im *importer) source(root *object) (contracts.GeneratedFrom, error) {
	var from contracts.GeneratedFrom
	o, err := root.object("generated_from")
	if err != nil {
		return from, err
	}
	err = o.all(map[string]any{"source": &from.Source, "note": &from.Note, "license": &from.License, "date": &from.Date})
	if err != nil {
		return from, fmt.Errorf("generated_from: %w", err)
	}
	o.rest("generated_from")
	if from.Note == "" && root.has("description") {
		if err := root.take("description", &from.Note); err != nil {
			return from, err
		}
		im.did("description became generated_from.note")
	}
	if from.Source == "" {
		from.Source = "imported from " + im.file
		im.did("generated_from.source was added: the file's name")
	}
	from.License, err = im.license(from.License)
	return from, err
}

// license maps a licence as the file writes it.
func (im *importer) license(as string) (string, error) {
	to, ok := im.opts.Licenses[as]
	if ok && as != "" {
		im.did("licence %q became %s, as --license says", as, to)
		return to, nil
	}
	return as, nil
}

func (im *importer) version(root *object, fallback string) (string, error) {
	var version string
	if err := root.take("version", &version); err != nil {
		return "", err
	}
	if im.opts.Version != "" && im.opts.Version != version {
		im.did("version %q became %q, as --version says", version, im.opts.Version)
	}
	return cmp.Or(im.opts.Version, version, fallback), nil
}

// emptySchema stands for an argument schema that the file does not have.
var emptySchema = json.RawMessage(`{"type":"object"}`)

func (im *importer) corpus(root *object) (*contracts.Corpus, error) {
	var c contracts.Corpus
	var err error
	if c.Version, err = im.version(root, "imported"); err != nil {
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
			"tool_id": &t.ToolID, "server": &t.Server, "tool": &t.Tool, "description": &t.Description, "schema": &t.Schema,
		})
		if err != nil {
			return nil, fmt.Errorf("tool %d: %w", i+1, err)
		}
		if t.Schema == nil {
			t.Schema = im.lentSchema(t.ToolID)
		}
		if t.Schema == nil {
			t.Schema = emptySchema
			im.did(`a tool without a schema got {"type":"object"}`)
		}
		o.rest("tools[]")
		c.Tools = append(c.Tools, t)
	}
	return &c, nil
}

// lentSchema is the schema that another corpus has for a tool, or nil.
func (im *importer) lentSchema(id contracts.ToolID) json.RawMessage {
	if im.opts.Schemas == nil {
		return nil
	}
	for _, t := range im.opts.Schemas.Tools {
		if t.ToolID == id {
			im.did("a tool without a schema got that of corpus %s", im.opts.Schemas.Version)
			return t.Schema
		}
	}
	return nil
}

func (im *importer) golden(root *object) (*contracts.GoldenSet, error) {
	var g contracts.GoldenSet
	var err error
	if g.Version, err = im.version(root, ""); err != nil {
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
			im.did("corpus_version %q became %q: the given corpus has every tool that is labelled", g.CorpusVersion, c.Version)
			g.CorpusVersion = c.Version
		}
	}
	for i, o := range queries {
		var q contracts.Query
		if err := o.all(map[string]any{"id": &q.ID, "query": &q.Query, "notes": &q.Notes}); err != nil {
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
				return nil, fmt.Errorf("query %s: its label %q is no tool of corpus %s: give the corpus that the golden set is for", q.ID, label.ToolID, im.opts.Corpus.Version)
			}
			l.rest("queries[].labels[]")
			q.Labels = append(q.Labels, label)
		}
		o.rest("queries[]")
		g.Queries = append(g.Queries, q)
	}
	return &g, nil
}
