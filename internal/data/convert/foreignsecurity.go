package convert

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/touchstone-eval/touchstone/contracts"
)

// otherCategories maps attack categories of other projects to ours.
var otherCategories = map[string]string{"phrase_injection": contracts.CategoryPromptInjection}

func (im *importer) category(as string) string {
	if ours, ok := otherCategories[as]; ok {
		im.recordMapping("category %s became %s", as, ours)
		return ours
	}
	return as
}

// security reads a security corpus, or a corpus of detectors, where each tool is
// an object of its own and entries have peers.
func (im *importer) security(root *object) (*contracts.SecurityCorpus, error) {
	var s contracts.SecurityCorpus
	var err error
	if s.Version, err = im.version(root); err != nil {
		return nil, err
	}

	if s.GeneratedFrom, err = im.source(root); err != nil {
		return nil, err
	}

	entries, err := root.list("entries")
	if err != nil {
		return nil, err
	}

	for i, o := range entries {
		e, err := im.entry(o)
		if err != nil {
			return nil, fmt.Errorf("entry %d (%s): %w", i+1, e.ID, err)
		}

		if slices.Contains(im.opts.DropCategories, e.Category) || e.HardNegativeFor != "" &&
			slices.Contains(im.opts.DropCategories, e.HardNegativeFor) {
			im.recordMapping("dropped because of --drop-category: an entry of %s", e.Category)
			continue
		}

		s.Entries = append(s.Entries, e)
	}

	return &s, nil
}

func (im *importer) entry(o *object) (contracts.SecurityEntry, error) {
	var e contracts.SecurityEntry
	var resembles string
	err := o.all(map[string]any{
		"id": &e.ID, "label": &e.Label, "category": &e.Category, "server": &e.Server, "name": &e.Name,
		"description": &e.Description, "resembles": &resembles, "server_instructions": &e.ServerInstructions,
		"severity": &e.Severity, "technique": &e.Technique, "carrier": &e.Carrier, "twin": &e.Twin,
		"rationale": &e.Rationale,
	})
	if err != nil {
		return e, err
	}

	e.Category = im.category(e.Category)
	if o.has("tool") {
		tool, err := o.object("tool")
		if err != nil {
			return e, err
		}

		if err := im.tool(tool, "entries[].tool", &e.Name, &e.Description, &e.InputSchema,
			&e.OutputSchema); err != nil {
			return e, err
		}
	}

	peers, err := o.list("peers")
	if err != nil {
		return e, err
	}

	for _, p := range peers {
		var peer contracts.Peer
		if err := p.take("server", &peer.Server); err != nil {
			return e, err
		}

		tool, err := p.object("tool")
		if err != nil {
			return e, err
		}

		if err := im.tool(tool, "entries[].peers[].tool", &peer.Name, &peer.Description, &peer.InputSchema,
			nil); err != nil {
			return e, err
		}

		p.rest("entries[].peers[]")
		e.Peers = append(e.Peers, peer)
	}

	provenance, err := o.object("provenance")
	if err != nil {
		return e, err
	}

	if err := provenance.all(map[string]any{"source": &e.Provenance.Source, "license": &e.Provenance.License,
		"reference": &e.Provenance.Reference}); err != nil {
		return e, err
	}

	provenance.rest("entries[].provenance")
	if e.Provenance.License, err = im.license(e.Provenance.License); err != nil {
		return e, err
	}

	if e.Category == contracts.CategoryHardNegative {
		e.HardNegativeFor = im.twinOf(e.ID, resembles)
	} else if resembles != "" {
		im.dropped["entries[].resembles of an entry that is not a hard negative"]++
	}

	o.rest("entries[]")
	return e, nil
}

// twinOf returns the attack category that a hard negative resembles. It comes
// from the field resembles, or else from the id, which is hn_CATEGORY_NUMBER.
func (im *importer) twinOf(id, resembles string) string {
	if resembles != "" {
		im.recordMapping("resembles became hard_negative_for")
		return im.category(resembles)
	}

	name, ok := strings.CutPrefix(id, "hn_")
	if i := strings.LastIndexByte(name, '_'); ok && i > 0 {
		if c := im.category(name[:i]); slices.Contains(contracts.AttackCategories, c) {
			im.recordMapping("hard_negative_for was read from the entry's id")
			return c
		}
	}

	return ""
}

// tool takes a tool that is an object of its own.
func (im *importer) tool(o *object, path string, name, description *string, input, output *json.RawMessage) error {
	into := map[string]any{"name": name, "description": description, "input_schema": input}
	if output != nil {
		into["output_schema"] = output
	}
	if err := o.all(into); err != nil {
		return err
	}
	o.rest(path)
	return nil
}
