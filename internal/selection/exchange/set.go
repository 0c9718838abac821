package exchange

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/touchstone-eval/touchstone/internal/base/closest"
	"github.com/touchstone-eval/touchstone/internal/selection"
)

// Set is a set of cases with the servers that they need, as stored in files.
type Set struct {
	Servers []Server `json:"servers,omitempty"`
	Cases   []Case   `json:"cases"`
	// Runs are those that another program executed.
	Runs []Run `json:"-"`
	// Skipped are the entries of another program's data that cannot be read. The
	// others are read without them.
	Skipped []Skipped `json:"-"`
	// Notes say what is read in another form than it was written.
	Notes []string `json:"-"`
}

// Skipped is an entry that was not read.
type Skipped struct {
	Entry  string `json:"entry"`
	Reason string `json:"reason"`
}

// Server is a server in a file.
type Server struct {
	Name      string `json:"name"`
	URL       string `json:"url"`
	Transport string `json:"transport,omitempty"`
	selection.Login
}

// Case is a case in a file. If it has no expected calls, no tool is expected. A
// server is named, or given by its URL.
type Case struct {
	Name      string               `json:"name"`
	Query     string               `json:"query"`
	Servers   []string             `json:"servers"`
	Expected  []selection.Call     `json:"expected,omitempty"`
	Ordered   bool                 `json:"ordered,omitempty"`
	Forbidden []selection.ToolName `json:"forbidden,omitempty"`
	Tags      []string             `json:"tags,omitempty"`
	// OtherID is the id of the case in the program from which it comes.
	OtherID string `json:"-"`
}

// MaxFile is the largest file of a set, in bytes.
const MaxFile = 64 << 20

// Formats are the names of the formats.
var Formats = []string{"json", "yaml", "csv"}

// FormatOf returns the format for a file's extension, or json.
func FormatOf(path string) string {
	switch strings.ToLower(filepath.Ext(path)) {
	case ".yaml", ".yml":
		return "yaml"
	case ".csv":
		return "csv"
	}
	return "json"
}

// Read reads a set in a format. JSON and YAML are an object of servers and cases,
// a list of cases, or mcp-tef's test cases or runs. CSV holds cases alone.
func Read(data []byte, format string) (Set, error) {
	if len(data) > MaxFile {
		return Set{}, fmt.Errorf("it is larger than %d MiB: split it", MaxFile>>20)
	}

	data = bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))
	switch format {
	case "csv":
		return readCSV(data)
	case "yaml":
		var document yaml.Node
		if err := yaml.Unmarshal(data, &document); err != nil {
			return Set{}, fmt.Errorf("it is not YAML: %w", err)
		}

		datesAreTexts(&document)
		var tree any
		if err := document.Decode(&tree); err != nil {
			return Set{}, fmt.Errorf("it is not YAML: %w", err)
		}

		converted, err := json.Marshal(tree)
		if err != nil {
			return Set{}, fmt.Errorf("it contains values that JSON does not support, such as names that are not "+
				"strings: %w", err)
		}

		data = converted
	case "json":
	default:
		return Set{}, fmt.Errorf("format %q is unknown: use json, yaml or csv", format)
	}

	return readJSON(data)
}

// datesAreTexts keeps dates as strings, because JSON has no dates.
func datesAreTexts(n *yaml.Node) {
	if n.Kind == yaml.ScalarNode && n.ShortTag() == "!!timestamp" {
		n.Tag = "!!str"
	}
	for _, child := range n.Content {
		datesAreTexts(child)
	}
}

func readJSON(data []byte) (Set, error) {
	set, err := readTree(data)
	if err != nil && len(set.Skipped) == 0 && listsTools(data) {
		err = errors.New("it lists tools, and no servers or cases: compare its tools with touchstone eval similar " +
			"--tools, or scan them with touchstone scan")
	}
	return set, err
}

func readTree(data []byte) (Set, error) {
	trimmed := bytes.TrimSpace(data)
	if len(trimmed) == 0 {
		return Set{}, errors.New("it is empty")
	}

	if trimmed[0] == '[' {
		var entries []json.RawMessage
		if err := json.Unmarshal(trimmed, &entries); err != nil {
			return Set{}, fmt.Errorf("it is not JSON: %w", err)
		}

		return readEntries(entries)
	}

	// A page of mcp-tef's service.
	var page struct {
		Items  []json.RawMessage `json:"items"`
		Total  int               `json:"total"`
		Offset int               `json:"offset"`
		Limit  int               `json:"limit"`
	}
	if json.Unmarshal(trimmed, &page) == nil && page.Items != nil {
		set, err := readEntries(page.Items)
		// The total of its list of runs counts the page alone.
		if n := len(page.Items); page.Offset > 0 || page.Offset+n < page.Total || n > 0 && n == page.Limit {
			set.Notes = append(set.Notes, fmt.Sprintf("it is a page of %d entries, and there may be others: export "+
				"them with --offset and --limit, and import each page", n))
		}

		return set, err
	}

	var object struct {
		Servers   []Server          `json:"servers"`
		Cases     []json.RawMessage `json:"cases"`
		TestCases []json.RawMessage `json:"test_cases"`
	}
	if err := strict(trimmed, &object); err != nil {
		// A single test case of mcp-tef is also an object, and so is a client's
		// configuration.
		if isTEF(trimmed) || isTEFRun(trimmed) {
			return readEntries([]json.RawMessage{trimmed})
		}

		if set, ok := readConfiguration(trimmed); ok {
			return set, nil
		}

		return Set{}, fmt.Errorf("it is not a set of servers and cases: %w", err)
	}

	set, err := readEntries(append(object.Cases, object.TestCases...))
	set.Servers = append(object.Servers, set.Servers...)
	return set, err
}

// strict decodes one value and refuses unknown fields.
func strict(data []byte, into any) error {
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	d.UseNumber()
	if err := d.Decode(into); err != nil {
		return unknownField(err, into)
	}
	if _, err := d.Token(); err != io.EOF {
		return errors.New("there is more data after its end")
	}
	return nil
}

// unknownField replaces the decoder's error about a field that into does not have by one that suggests the
// field that was probably meant. The data may have been YAML, so it names no format.
func unknownField(err error, into any) error {
	quoted, ok := strings.CutPrefix(err.Error(), "json: unknown field ")
	name, unquoted := strconv.Unquote(quoted)
	if !ok || unquoted != nil {
		return err
	}

	known, nested := fieldNames(reflect.TypeOf(into), map[reflect.Type]bool{})
	if meant := closest.To(name, append(known, nested...)); meant != "" {
		return fmt.Errorf("unknown field %q: did you mean %q?", name, meant)
	}

	return fmt.Errorf("unknown field %q: the fields are %s", name, strings.Join(known, ", "))
}

// fieldNames are the names of the fields of a type in JSON, and of those within them.
func fieldNames(t reflect.Type, seen map[reflect.Type]bool) (own, nested []string) {
	for t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice {
		t = t.Elem()
	}

	if t.Kind() != reflect.Struct || seen[t] {
		return nil, nil
	}

	seen[t] = true
	for _, f := range reflect.VisibleFields(t) {
		if field, _, _ := strings.Cut(f.Tag.Get("json"), ","); field != "-" && field != "" {
			own = append(own, field)
		}

		within, deeper := fieldNames(f.Type, seen)
		nested = append(append(nested, within...), deeper...)
	}

	return own, nested
}

func readEntries(entries []json.RawMessage) (Set, error) {
	set := Set{Cases: []Case{}}
	for i, raw := range entries {
		if isTEFRun(raw) {
			if err := set.addTEFRun(raw, fmt.Sprintf("run %d", i+1)); err != nil {
				set.skip(fmt.Sprintf("run %d", i+1), err)
			}

			continue
		}

		if isTEF(raw) {
			if err := set.addTEF(raw); err != nil {
				set.skip(fmt.Sprintf("case %d", i+1), err)
			}

			continue
		}

		var c Case
		if err := strict(raw, &c); err != nil {
			return set, fmt.Errorf("case %d: %w", i+1, err)
		}

		set.nameServers(&c)
		set.Cases = append(set.Cases, c)
	}

	return set, set.nothingRead()
}

func (s *Set) skip(entry string, err error) {
	s.Skipped = append(s.Skipped, Skipped{entry, err.Error()})
}

// nothingRead is the error of a set in which no entry could be read.
func (s *Set) nothingRead() error {
	if len(s.Cases) > 0 || len(s.Runs) > 0 || len(s.Skipped) == 0 {
		return nil
	}
	return fmt.Errorf("%s: %s", s.Skipped[0].Entry, s.Skipped[0].Reason)
}

// nameServers replaces the servers that a case gives by their URL.
func (s *Set) nameServers(c *Case) {
	name := func(server *string) {
		if isAddress(*server) {
			*server = s.server("", *server, "")
		}
	}
	for i := range c.Servers {
		name(&c.Servers[i])
	}

	for i := range c.Expected {
		name(&c.Expected[i].Server)
		for j := range c.Expected[i].Alternatives {
			name(&c.Expected[i].Alternatives[j].Server)
		}
	}

	for i := range c.Forbidden {
		name(&c.Forbidden[i].Server)
	}
}

// isAddress reports whether a text is the URL of a server, and not a name.
func isAddress(text string) bool {
	return strings.Contains(text, "://") || strings.HasPrefix(text, "stdio:")
}

// Selection returns the servers and cases of a set, validated.
func (s Set) Selection() ([]selection.Server, []selection.Case, error) {
	var servers []selection.Server
	names := map[string]bool{}
	for i, f := range s.Servers {
		server := selection.Server{Name: f.Name, URL: f.URL, Transport: selection.Transport(f.Transport),
			Login: f.Login}
		if err := server.Validate(); err != nil {
			return nil, nil, fmt.Errorf("server %d: %w", i+1, err)
		}

		if names[f.Name] {
			return nil, nil, fmt.Errorf("server %d: the name %q is used twice", i+1, f.Name)
		}

		names[f.Name] = true
		servers = append(servers, server)
	}

	cases := []selection.Case{}
	for i, f := range s.Cases {
		c := selection.Case{Name: f.Name, Query: f.Query, Servers: slices.Clone(f.Servers), Expected: f.Expected,
			Ordered: f.Ordered, Forbidden: f.Forbidden, Tags: slices.Clone(f.Tags)}
		if err := c.Validate(); err != nil {
			return nil, nil, fmt.Errorf("case %d: %w", i+1, err)
		}

		cases = append(cases, c)
	}

	return servers, cases, nil
}

// Of returns the set of servers and cases, for writing.
func Of(servers []selection.Server, cases []selection.Case) Set {
	set := Set{Cases: []Case{}}
	for _, s := range servers {
		set.Servers = append(set.Servers, Server{s.Name, s.URL, string(s.Transport), s.Login})
	}
	for _, c := range cases {
		set.Cases = append(set.Cases, Case{Name: c.Name, Query: c.Query, Servers: c.Servers, Expected: c.Expected,
			Ordered: c.Ordered, Forbidden: c.Forbidden, Tags: c.Tags})
	}
	return set
}

// Write writes a set in a format that Read reads. CSV has no servers.
func (s Set) Write(w io.Writer, format string) error {
	switch format {
	case "json":
		enc := json.NewEncoder(w)
		enc.SetEscapeHTML(false)
		enc.SetIndent("", "  ")
		return enc.Encode(s)
	case "yaml":
		return s.writeYAML(w)
	case "csv":
		return s.writeCSV(w)
	}

	return fmt.Errorf("format %q is unknown: use json, yaml or csv", format)
}

// writeYAML writes the JSON of a set, which is YAML, in the usual style of YAML.
func (s Set) writeYAML(w io.Writer) error {
	var text bytes.Buffer
	if err := s.Write(&text, "json"); err != nil {
		return err
	}

	var document yaml.Node
	if err := yaml.Unmarshal(text.Bytes(), &document); err != nil {
		return err
	}

	plain(&document)
	enc := yaml.NewEncoder(w)
	enc.SetIndent(2)
	if err := enc.Encode(&document); err != nil {
		return err
	}

	return enc.Close()
}

// plain removes brackets and quotes where YAML needs none.
func plain(n *yaml.Node) {
	n.Style = 0
	if n.Kind == yaml.ScalarNode && strings.Contains(n.Value, "\n") {
		n.Style = yaml.LiteralStyle
	}
	for _, child := range n.Content {
		plain(child)
	}
}

// csvColumns are the columns of CSV. Lists are separated by semicolons. A case
// with one call uses the columns for it, and further calls are JSON.
var csvColumns = []string{"name", "query", "servers", "expected_server", "expected_tool", "expected_parameters",
	"further_calls", "ordered", "forbidden", "tags"}

func readCSV(data []byte) (Set, error) {
	r := csv.NewReader(bytes.NewReader(data))
	header, err := r.Read()
	if err != nil {
		return Set{}, fmt.Errorf("its first line does not name the columns: %w", err)
	}

	place := map[string]int{}
	for i, name := range header {
		known := false
		for _, column := range csvColumns {
			known = known || column == strings.TrimSpace(name)
		}

		if !known {
			return Set{}, fmt.Errorf("column %q is unknown: use %s", name, strings.Join(csvColumns, ", "))
		}

		place[strings.TrimSpace(name)] = i
	}

	set := Set{Cases: []Case{}}
	for {
		row, err := r.Read()
		if err == io.EOF {
			return set, nil
		}

		if err != nil {
			return set, fmt.Errorf("it is not CSV: %w", err)
		}

		field := func(name string) string {
			if i, ok := place[name]; ok {
				return row[i]
			}

			return ""
		}
		line, _ := r.FieldPos(0)
		c, err := csvCase(field)
		if err != nil {
			return set, fmt.Errorf("line %d: %w", line, err)
		}

		set.nameServers(&c)
		set.Cases = append(set.Cases, c)
	}
}

func csvCase(field func(string) string) (Case, error) {
	c := Case{Name: field("name"), Query: field("query"), Servers: splitList(field("servers")),
		Tags: splitList(field("tags"))}
	if text := field("ordered"); text != "" {
		ordered, err := strconv.ParseBool(text)
		if err != nil {
			return c, fmt.Errorf("ordered is %q: write true or false", text)
		}

		c.Ordered = ordered
	}

	if field("expected_server") != "" || field("expected_tool") != "" {
		call := selection.Call{Server: field("expected_server"), Tool: field("expected_tool")}
		if text := field("expected_parameters"); text != "" {
			if err := strict([]byte(text), &map[string]any{}); err != nil {
				return c, fmt.Errorf("expected_parameters is not a JSON object: %w", err)
			}

			call.Parameters = json.RawMessage(text)
		}

		c.Expected = append(c.Expected, call)
	} else if field("expected_parameters") != "" {
		return c, errors.New("expected_parameters requires a tool: also give expected_server and expected_tool")
	}

	if text := field("forbidden"); text != "" {
		if err := strict([]byte(text), &c.Forbidden); err != nil {
			return c, fmt.Errorf("forbidden is not a JSON list of servers and tools: %w", err)
		}
	}

	if text := field("further_calls"); text != "" {
		var further []selection.Call
		if err := strict([]byte(text), &further); err != nil {
			return c, fmt.Errorf("further_calls is not a JSON list of calls: %w", err)
		}

		c.Expected = append(c.Expected, further...)
	}

	return c, nil
}

func splitList(text string) []string {
	var list []string
	for _, part := range strings.Split(text, ";") {
		if part = strings.TrimSpace(part); part != "" {
			list = append(list, part)
		}
	}
	return list
}

func (s Set) writeCSV(w io.Writer) error {
	out := csv.NewWriter(w)
	if err := out.Write(csvColumns); err != nil {
		return err
	}

	for _, c := range s.Cases {
		for _, name := range append(append([]string(nil), c.Servers...), c.Tags...) {
			if strings.Contains(name, ";") || strings.TrimSpace(name) != name {
				return fmt.Errorf("case %q: CSV cannot hold the name %q: write JSON or YAML", c.Name, name)
			}
		}

		row, err := c.csvRow()
		if err != nil {
			return err
		}

		if err := out.Write(row); err != nil {
			return err
		}
	}

	out.Flush()
	return out.Error()
}

func (c Case) csvRow() ([]string, error) {
	row := []string{c.Name, c.Query, strings.Join(c.Servers, ";"), "", "", "", "", strconv.FormatBool(c.Ordered), "",
		strings.Join(c.Tags, ";")}
	further := c.Expected
	// A call that says more than its right values is JSON.
	if len(further) > 0 && reflect.DeepEqual(further[0],
		selection.Call{Server: further[0].Server, Tool: further[0].Tool, Parameters: further[0].Parameters}) {
		row[3], row[4], row[5] = further[0].Server, further[0].Tool, string(further[0].Parameters)
		further = further[1:]
	}

	for column, v := range map[int]any{6: further, 8: c.Forbidden} {
		b, err := json.Marshal(v)
		if err != nil {
			return nil, err
		}

		if text := string(b); text != "null" && text != "[]" {
			row[column] = text
		}
	}

	return row, nil
}
