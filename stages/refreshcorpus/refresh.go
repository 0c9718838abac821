package refreshcorpus

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/touchstone-eval/touchstone/contracts"
	"github.com/touchstone-eval/touchstone/internal/base/readlimit"
	"github.com/touchstone-eval/touchstone/internal/scan/input"
)

// Options are the inputs and outputs of a refresh.
type Options struct {
	// Upstreams is the path of upstreams.hcl.
	Upstreams string
	// Previous is the path of the corpus to refresh, or empty.
	Previous string
	// Out is the path of the file to write. It must not exist.
	Out string
	// Version is the version of the new corpus; empty means the one after
	// that of Previous.
	Version string
	// Date is the date of the refresh, as 2006-01-02.
	Date string
	// AllowMissing names servers that may fail or list fewer tools than
	// before. AnyMissing allows it for all servers.
	AllowMissing []string
	AnyMissing   bool
	// Log receives progress messages; nil discards them.
	Log io.Writer
}

// Result describes the written corpus and its difference from the previous one.
type Result struct {
	File    string   `json:"file"`
	Version string   `json:"version"`
	Servers []Server `json:"servers"`
	// Missing lists what was left out because of --allow-missing.
	Missing []Missing `json:"missing"`
	// Diff is nil if there was no previous corpus.
	Diff *Diff `json:"diff"`
	// RugPulls are the scanner's findings in the tools that changed.
	RugPulls []RugPull `json:"rug_pulls"`
}

// Server is a server whose tools were read.
type Server struct {
	contracts.CorpusServer
	Tools int `json:"tools"`
}

// Run refreshes a corpus. It writes nothing if a server is missing that is not
// allowed to be, and never overwrites a file.
func Run(ctx context.Context, o Options) (*Result, error) {
	if o.Log == nil {
		o.Log = io.Discard
	}

	if _, err := time.Parse(time.DateOnly, o.Date); err != nil {
		return nil, &usageError{fmt.Sprintf("%q is not a date: write a date such as 2027-01-31", o.Date)}
	}

	if _, err := os.Lstat(o.Out); err == nil {
		return nil, existsError(o.Out)
	}

	u, err := readUpstreams(o.Upstreams)
	if err != nil {
		return nil, err
	}

	var previous *contracts.Corpus
	if o.Previous != "" {
		c, err := contracts.Read[contracts.Corpus](o.Previous)
		if err != nil {
			return nil, err
		}

		previous = &c
	}

	version := o.Version
	if version == "" {
		if version, err = nextVersion(previous); err != nil {
			return nil, err
		}
	}

	private, err := os.MkdirTemp("", "touchstone-refresh-")
	if err != nil {
		return nil, fmt.Errorf("create a private directory: %w", err)
	}

	defer os.RemoveAll(private)
	servers, locked, err := u.prepare(ctx, private, o.Log)
	if err != nil {
		return nil, err
	}

	found, err := list(ctx, u, servers, locked, o.Log)
	if err != nil {
		return nil, err
	}

	kept, keptServers, err := found.keep(u)
	if err != nil {
		return nil, err
	}

	missing := shrunken(found, previous)
	if err := refuse(missing, o); err != nil {
		return nil, err
	}

	corpus := found.corpus(u, locked, missing)
	addServers(&corpus, kept, keptServers)
	corpus.Version, corpus.GeneratedFrom.Date = version, o.Date
	if len(corpus.Tools) == 0 {
		return nil, errors.New("no server lists a tool, so there is no corpus to write; see the " +
			"messages about each server above")
	}

	if err := writeNew(o.Out, corpus); err != nil {
		return nil, err
	}

	r := &Result{File: o.Out, Version: version, Missing: missing, Servers: []Server{}, RugPulls: []RugPull{}}
	for _, s := range corpus.Servers {
		r.Servers = append(r.Servers, Server{s, len(found.tools[s.Server])})
	}

	if previous == nil {
		return r, nil
	}

	d := Compare(*previous, corpus)
	r.Diff = &d
	r.RugPulls, err = RugPulls(*previous, corpus)
	return r, err
}

// maxUpstreamsFile is the size in bytes of the largest file of upstreams.
const maxUpstreamsFile = 4 << 20

func readUpstreams(file string) (*upstreams, error) {
	text, err := readlimit.File(context.Background(), file, maxUpstreamsFile)
	if err != nil {
		return nil, &usageError{fmt.Sprintf("read the upstreams: %s; docs/how-to/refresh-the-corpus.md describes "+
			"the file", err)}
	}
	return parseUpstreams(file, text)
}

// usageError reports an invalid combination of options.
type usageError struct{ message string }

func (e *usageError) Error() string { return e.message }

// ExitCode returns the process's exit code for the error.
func (*usageError) ExitCode() int { return 2 }

func existsError(file string) error {
	return &usageError{fmt.Sprintf("%s exists, and a refresh never overwrites a file: name another file, or remove "+
		"this one if it was never used", file)}
}

// locks maps the name of an install block to its lock file.
type locks map[string]*lockFile

// prepare checks the pins and runs the install blocks.
func (u *upstreams) prepare(ctx context.Context, private string, log io.Writer) ([]input.Server, locks, error) {
	servers, locked, err := u.pinned(private)
	if err != nil {
		return nil, nil, err
	}
	return servers, locked, u.installAll(ctx, private, os.Environ(), log)
}

// pinned checks that the lock files pin the upstreams, and returns how these are started once
// the blocks are installed in private.
func (u *upstreams) pinned(private string) ([]input.Server, locks, error) {
	locked := locks{}
	var wrong []error
	for i := range u.Installs {
		in := &u.Installs[i]
		l, err := readLock(filepath.Join(u.dir, filepath.FromSlash(in.Lock)))
		if err != nil {
			wrong = append(wrong, fmt.Errorf("install %q: %w", in.Name, err))
			continue
		}

		locked[in.Name] = l
	}

	for i := range u.Upstreams {
		if l := locked[u.Upstreams[i].Install]; l != nil {
			if _, err := l.pinned(&u.Upstreams[i]); err != nil {
				wrong = append(wrong, err)
			}
		}
	}

	servers := make([]input.Server, len(u.Upstreams))
	for i := range u.Upstreams {
		s, err := u.Upstreams[i].server(u.dir, private)
		if err != nil {
			wrong = append(wrong, err)
		}

		servers[i] = s
	}

	if len(wrong) > 0 {
		return nil, nil, &usageError{errors.Join(wrong...).Error()}
	}

	return servers, locked, nil
}

// installAll runs the install blocks, each in the directory of its name in private, with what a
// package manager needs of the variables.
func (u *upstreams) installAll(ctx context.Context, private string, variables []string, log io.Writer) error {
	for i := range u.Installs {
		in := &u.Installs[i]
		to := filepath.Join(private, in.Name)
		if err := os.MkdirAll(to, 0o755); err != nil {
			return fmt.Errorf("install %q: %w", in.Name, err)
		}

		if err := install(ctx, in, u.dir, to, variables, log); err != nil {
			return err
		}
	}

	return nil
}

// server returns how the upstream is started or reached.
func (up *upstreamBlock) server(dir, private string) (input.Server, error) {
	if up.URL != "" {
		headers := map[string]string{}
		for name, variable := range up.Headers {
			value, ok := os.LookupEnv(variable)
			if !ok {
				return input.Server{}, fmt.Errorf("upstream %q: the header %s is in the variable %s, which is not "+
					"set; set it", up.Name, name, variable)
			}

			headers[name] = value
		}

		s, err := input.URLServer(up.Name, up.URL, headers)
		s.Client = "upstreams.hcl"
		return s, err
	}

	s := input.CommandServer(up.Name, up.Command)
	s.Client, s.Dir = "upstreams.hcl", dir
	if up.Install != "" {
		s.Dir = filepath.Join(private, up.Install)
	}

	s.Env = map[string]string{}
	for _, name := range up.Passthrough {
		if value, ok := os.LookupEnv(name); ok {
			s.Env[name] = value
		}
	}

	for name, value := range up.Env {
		s.Env[name] = value
	}

	return s, nil
}

// corpus builds the corpus from the tools, sorted by id.
func (l *listing) corpus(u *upstreams, locked locks, missing []Missing) contracts.Corpus {
	c := contracts.Corpus{GeneratedFrom: contracts.GeneratedFrom{Source: u.Corpus.Source, License: u.Corpus.License,
		Note: u.Corpus.Note}}
	for i := range u.Upstreams {
		up := &u.Upstreams[i]
		if l.failed[up.Name] != "" {
			continue
		}

		said := l.reported[up.Name]
		s := contracts.CorpusServer{Server: up.Name, Version: up.Version, Package: up.Package,
			Reported: strings.TrimSpace(said.Name + " " + said.Version)}
		if lock := locked[up.Install]; lock != nil {
			s.LockSHA256 = lock.sha256
			s.Integrity = lock.packages["node_modules/"+up.Package].Integrity
		}

		c.Servers = append(c.Servers, s)
		for _, t := range l.tools[up.Name] {
			c.Tools = append(c.Tools, contracts.Tool{
				ToolID: up.Name + ":" + t.Name, Server: up.Name, Tool: t.Name, Description: t.Description,
				Schema:       sortedSchema(t.InputSchema),
				OutputSchema: sortedOrNone(t.OutputSchema), Annotations: sortedOrNone(t.Annotations),
			})
		}
	}

	slices.SortFunc(c.Tools, func(a, b contracts.Tool) int { return strings.Compare(a.ToolID, b.ToolID) })
	if len(missing) > 0 {
		names := make([]string, len(missing))
		for i, m := range missing {
			names[i] = m.Server
		}

		c.GeneratedFrom.Note = strings.TrimSpace(c.GeneratedFrom.Note +
			" Missing or with fewer tools than before, on purpose: " + strings.Join(names, ", ") + ".")
	}

	return c
}

// sortedSchema sorts the names in a schema, so that a server that writes them in
// a different order each time gives the same corpus. It does not change how
// numbers are written.
func sortedSchema(raw json.RawMessage) json.RawMessage {
	if len(raw) == 0 {
		return json.RawMessage(`{}`)
	}

	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	var v any
	if d.Decode(&v) != nil {
		return raw // the check of the contract reports it
	}

	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	if enc.Encode(v) != nil {
		return raw
	}

	return bytes.TrimSuffix(out.Bytes(), []byte("\n"))
}

// sortedOrNone is sortedSchema for what a tool need not have.
func sortedOrNone(raw json.RawMessage) json.RawMessage {
	if len(raw) == 0 {
		return nil
	}
	return sortedSchema(raw)
}

// writeNew writes a file that must not exist. It writes all of it or nothing.
func writeNew(path string, v any) error {
	data, err := contracts.Encode(path, v)
	if err != nil {
		return err
	}
	return WriteNew(path, data)
}

// WriteNew writes a file that must not exist. It writes all of it or nothing. If the file
// exists, the exit code of the error is 2.
func WriteNew(path string, data []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return fmt.Errorf("cannot write %s: %w", path, err)
	}

	f, err := os.CreateTemp(filepath.Dir(path), ".touchstone-*")
	if err != nil {
		return fmt.Errorf("cannot write %s: %w; check the permissions there", path, err)
	}

	defer os.Remove(f.Name())
	_, err = f.Write(data)
	err = errors.Join(err, f.Chmod(0o644), f.Sync(), f.Close())
	if err != nil {
		return fmt.Errorf("cannot write %s: %w; check the space there", path, err)
	}

	// A link fails if another process has created path in the meantime; a
	// rename would replace it.
	if err := os.Link(f.Name(), path); errors.Is(err, os.ErrExist) {
		return existsError(path)
	} else if err != nil {
		return fmt.Errorf("cannot write %s: %w", path, err)
	}

	return nil
}
