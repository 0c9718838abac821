package model

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"sync"

	"github.com/touchstone-eval/touchstone/internal/base/atomicfile"
	"github.com/touchstone-eval/touchstone/internal/selection"
)

// Cassette holds recorded answers by the content of their requests: the model
// and its settings, the prompt, the query, the offered tools, and the repeat.
// Timeouts, retries and the base URL are not part of the key. Any number of
// goroutines may use a cassette.
//
// Its file is JSON, sorted by key, so that equal recordings give equal files.
// It contains neither the provider's raw answer nor details of the transport.
type Cassette struct {
	mu       sync.Mutex
	settings map[string]recordedSettings // by model
	entries  map[string]entry
	offered  []offeredTools // of the last requests
}

// cassetteVersion changes with the keys and the format of the file.
const cassetteVersion = 2

type cassetteFile struct {
	Version  int                `json:"version"`
	Settings []recordedSettings `json:"settings,omitempty"`
	Entries  []entry            `json:"entries"`
}

// entry is one recording. Model, Query and Repeat are only for people who read
// the file.
type entry struct {
	Key    string         `json:"key"`
	Model  string         `json:"model"` // provider/model
	Query  string         `json:"query"`
	Repeat int            `json:"repeat"`
	Answer recordedAnswer `json:"answer"`
}

type recordedAnswer struct {
	Calls []recordedCall `json:"calls"`
	selection.Said
	Confidence       *float64                   `json:"confidence,omitempty"`
	ConfidenceSource selection.ConfidenceSource `json:"confidence_source,omitempty"`
	Usage            selection.Usage            `json:"usage"`
}

// recordedCall is a call without the id of the tool, which differs between
// runs.
type recordedCall struct {
	Server     string          `json:"server,omitempty"`
	Tool       string          `json:"tool,omitempty"`
	Unknown    string          `json:"unknown_tool,omitempty"`
	Parameters json.RawMessage `json:"parameters,omitempty"`
	Malformed  string          `json:"malformed_parameters,omitempty"`
}

// NewCassette returns an empty cassette.
func NewCassette() *Cassette {
	return &Cassette{settings: map[string]recordedSettings{}, entries: map[string]entry{}}
}

// maxCassette bounds the file of a cassette.
const maxCassette = 256 << 20

// LoadCassette reads the file of a cassette.
func LoadCassette(path string) (*Cassette, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("open the cassette: %w", err)
	}

	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxCassette+1))
	if err != nil {
		return nil, fmt.Errorf("read the cassette: %w", err)
	}

	if len(data) > maxCassette {
		return nil, fmt.Errorf("cassette %s is larger than %d MiB: split it", path, maxCassette>>20)
	}

	c, err := parseCassette(data)
	if err != nil {
		return nil, fmt.Errorf("cassette %s: %w: record it again", path, err)
	}

	return c, nil
}

func parseCassette(data []byte) (*Cassette, error) {
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	var file cassetteFile
	if err := d.Decode(&file); err != nil {
		return nil, err
	}

	if _, err := d.Token(); err != io.EOF {
		return nil, errors.New("there is more data after its end")
	}

	if file.Version != cassetteVersion {
		return nil, fmt.Errorf("its version is %d, but this program reads %d", file.Version, cassetteVersion)
	}

	c := NewCassette()
	for i, r := range file.Settings {
		if err := r.check(); err != nil {
			return nil, fmt.Errorf("settings %d: %w", i+1, err)
		}

		if _, twice := c.settings[r.Model]; twice {
			return nil, fmt.Errorf("settings %d: those of %s occur twice", i+1, r.Model)
		}

		c.settings[r.Model] = r
	}

	for i, e := range file.Entries {
		if err := e.check(); err != nil {
			return nil, fmt.Errorf("entry %d: %w", i+1, err)
		}

		if _, twice := c.entries[e.Key]; twice {
			return nil, fmt.Errorf("entry %d: its key is recorded twice", i+1)
		}

		for j := range e.Answer.Calls { // without the file's line breaks
			e.Answer.Calls[j].Parameters = compact(e.Answer.Calls[j].Parameters)
		}

		c.entries[e.Key] = e
	}

	return c, nil
}

func compact(raw json.RawMessage) json.RawMessage {
	if len(raw) == 0 {
		return nil
	}
	var b bytes.Buffer
	if json.Compact(&b, raw) != nil {
		return raw
	}
	return b.Bytes()
}

func (e entry) check() error {
	if b, err := hex.DecodeString(e.Key); err != nil || len(b) != sha256.Size {
		return errors.New("its key is not a SHA-256 digest")
	}

	if v := e.Answer.Confidence; v != nil && (*v < 0 || *v > 1) || (v == nil) != (e.Answer.ConfidenceSource == "") {
		return errors.New("its confidence is not between 0 and 1, or has no source")
	}

	for _, call := range e.Answer.Calls {
		if (call.Tool == "") == (call.Unknown == "") || (call.Tool == "") != (call.Server == "") {
			return errors.New("a call does not name exactly one tool")
		}

		if p := bytes.TrimSpace(call.Parameters); len(p) > 0 && p[0] != '{' {
			return errors.New("the parameters of a call are not a JSON object")
		}
	}

	return nil
}

// Save writes the cassette, whole or not at all.
func (c *Cassette) Save(path string) error {
	c.mu.Lock()
	file := cassetteFile{Version: cassetteVersion, Settings: c.settingsInUse(), Entries: []entry{}}
	for _, e := range c.entries {
		file.Entries = append(file.Entries, e)
	}

	c.mu.Unlock()
	slices.SortFunc(file.Entries, func(a, b entry) int { return cmp.Compare(a.Key, b.Key) })
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", " ")
	if err := enc.Encode(file); err != nil {
		return fmt.Errorf("write the cassette: %w", err)
	}

	if err := atomicfile.WriteFile(path, b.Bytes(), 0o644); err != nil {
		return fmt.Errorf("write the cassette: %w; choose another place", err)
	}

	return nil
}

// Len is the number of recordings.
func (c *Cassette) Len() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.entries)
}

// ErrNotRecorded means that a cassette has no answer to a request. It is never
// treated as the answer "no tool".
var ErrNotRecorded = errors.New("there is no recording of this request")

// Ask looks up an answer. Settings.Model names the recorded model as
// provider/model.
func (c *Cassette) Ask(_ context.Context, r Request) (selection.Answer, error) {
	key, name := c.requestKey(r)
	c.mu.Lock()
	e, ok := c.entries[key]
	c.mu.Unlock()
	if !ok {
		return selection.Answer{}, fmt.Errorf("%w: model %s, repeat %d, query %q: the query, the tools, the prompt "+
			"or the settings have changed; record it",
			ErrNotRecorded, name, max(1, r.Repeat), selection.Clip(r.Query, 80))
	}

	a := selection.Answer{
		Calls: []selection.MadeCall{}, Said: e.Answer.Said, Confidence: e.Answer.Confidence,
		ConfidenceSource: e.Answer.ConfidenceSource, Usage: e.Answer.Usage,
	}
	for _, call := range e.Answer.Calls {
		made := selection.MadeCall{
			Server: call.Server, Tool: call.Tool, Unknown: call.Unknown, Parameters: call.Parameters,
			Malformed: call.Malformed,
		}
		if at := slices.IndexFunc(r.Tools,
			func(t selection.Tool) bool { return t.Server == call.Server && t.Name == call.Tool }); at >= 0 {
			made.ToolID = r.Tools[at].ID
		} else if call.Unknown == "" {
			return a, fmt.Errorf("the recording calls %s:%s, which is not offered: record it again", call.Server,
				call.Tool)
		}

		a.Calls = append(a.Calls, made)
	}

	return a, nil
}

// Recorder uses another model and records its answers. It does not record
// errors.
type Recorder struct {
	model    Model
	cassette *Cassette
	key      Key
}

func (rec *Recorder) Ask(ctx context.Context, r Request) (selection.Answer, error) {
	a, err := rec.model.Ask(ctx, r)
	if err != nil {
		return a, err
	}

	key, name := rec.cassette.requestKey(r)
	e := entry{Key: key, Model: name, Query: r.Query, Repeat: max(1, r.Repeat)}
	e.Answer = recordedAnswer{
		Calls: []recordedCall{}, Said: rec.key.removeSaid(a.Said.Bounded()), Confidence: a.Confidence,
		ConfidenceSource: a.ConfidenceSource, Usage: a.Usage,
	}
	for _, call := range a.Calls {
		e.Answer.Calls = append(e.Answer.Calls, recordedCall{
			Server: call.Server, Tool: call.Tool, Unknown: rec.key.remove(call.Unknown),
			Parameters: rec.key.removeJSON(call.Parameters), Malformed: rec.key.remove(call.Malformed),
		})
	}

	e.Query = rec.key.remove(e.Query)
	rec.cassette.mu.Lock()
	defer rec.cassette.mu.Unlock()
	rec.cassette.entries[key] = e
	return a, nil
}
