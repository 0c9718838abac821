package discover

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/touchstone-eval/touchstone/contracts"
	"github.com/touchstone-eval/touchstone/internal/proxy/adapter"
	"github.com/touchstone-eval/touchstone/internal/proxy/undertest"
)

// Options are the options of Find.
type Options struct {
	Program *Program
	Starts  []Start
	// Name is the name of the adapter.
	Name string
	// SearchTool is the tool that searches; empty to propose one.
	SearchTool string
	// Corpus is replayed in parts.
	Corpus contracts.Corpus
	// Executable is the touchstone program, which replays servers.
	Executable string
	// Build builds the program as an adapter says, and returns the directory with the manifest of the result
	// and, in the file adapter.hcl, the adapter.
	Build func(ctx context.Context, adapter []byte) (dir string, err error)
	// Confirm, if set, is asked about the proposed tool and returns the one to use.
	Confirm func(proposed string, all []string) (string, error)
	// Progress receives what is being tried.
	Progress func(message string)
}

// Found is how a proxy is started and searched.
type Found struct {
	// Adapter is the text of the adapter.
	Adapter []byte
	Start   Start
	Tool    SearchTool
	// Query is the query that was tried, and First the first tool of its answer, which has Hits tools.
	Query string
	First contracts.ToolID
	Hits  int
}

// The steps on the way, by which the failure that came farthest is reported.
const (
	stepStart = iota
	stepList
	stepTool
	stepAnswer
	stepVerify
)

// failure is why a start did not lead to an adapter.
type failure struct {
	step  int
	start Start
	err   error
}

// errGiveUp ends the search for an adapter: another start cannot help.
type errGiveUp struct{ error }

// Find starts the program in each way until one works, and returns what worked. The error describes the
// way that came farthest, with a remedy.
func Find(ctx context.Context, o Options) (*Found, error) {
	if len(o.Starts) == 0 {
		return nil, errors.New("there is no way to start the proxy: name the command with --proxy-start")
	}

	dir, err := o.Build(ctx, describe(o.Name, o.Program, o.Starts[0], unknownSearch))
	if err != nil {
		return nil, err
	}

	f := &finder{Options: o, dir: dir, sample: sampleOf(o.Corpus), names: namesOf(o.Corpus)}
	var farthest *failure
	for i, s := range o.Starts {
		o.Progress(fmt.Sprintf("trying %s over %s", shown(s), transportName(s.Transport)))
		found, failed := f.try(ctx, s, i == 0)
		var final errGiveUp
		switch {
		case failed == nil:
			return found, nil
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case errors.As(failed.err, &final):
			return nil, final.error
		case farthest == nil || failed.step > farthest.step:
			farthest = failed
		}
	}

	return nil, f.explain(farthest)
}

// shown formats a start for people.
func shown(s Start) string {
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(s.Env)) {
		if strings.Contains(s.Env[name], "{") {
			b.WriteString(name + "=" + s.Env[name] + " ")
		}
	}
	return b.String() + strings.Join(s.Command, " ")
}

type finder struct {
	Options
	dir    string
	sample contracts.Corpus
	names  *names
}

// unknownSearch stands for the search while it is unknown. The tools block says how the proxy lists its own tools.
const unknownSearch = `tools {
list_tools = true
items = answer.tools
id = item.name
}

search "mcp" {
call = "unknown"
items = answer
id = item
}
`

// open starts the proxy as an adapter says. The first start may take longer, because it may fill caches.
func (f *finder) open(ctx context.Context, text []byte, first bool) (*undertest.Proxy, error) {
	if err := os.WriteFile(filepath.Join(f.dir, "adapter.hcl"), text, 0o600); err != nil {
		return nil, err
	}

	timeout := 10 * time.Second
	if first {
		timeout = 20 * time.Second
	}

	return undertest.Start(ctx, undertest.Options{Dir: f.dir, Corpus: f.sample, ReadyTimeout: timeout,
		QueryTimeout: 10 * time.Second, Executable: f.Executable})
}

func (f *finder) try(ctx context.Context, s Start, first bool) (*Found, *failure) {
	p, err := f.open(ctx, describe(f.Name, f.Program, s, unknownSearch), first)
	if err != nil {
		return nil, &failure{stepStart, s, err}
	}

	defer p.Stop()
	listing, err := p.Ask(ctx, adapter.Question{ListTools: true})
	if err != nil {
		if how, ended := p.Ended(time.Second); ended {
			return nil, &failure{stepStart, s, p.WithLog(fmt.Errorf("it ended: %s", how))}
		}

		return nil, &failure{stepList, s, p.WithLog(err)}
	}

	tools, all, err := searchTools(listing.Text, f.SearchTool)
	if err != nil {
		return nil, &failure{stepList, s, err}
	}

	if len(tools) == 0 {
		return nil, f.noTool(s, all)
	}

	if f.Confirm != nil {
		name, err := f.Confirm(tools[0].Name, all)
		if err != nil {
			return nil, &failure{stepTool, s, errGiveUp{err}}
		}

		f.Confirm = nil // once
		f.SearchTool = name
		if tools, _, err = searchTools(listing.Text, name); err != nil || len(tools) == 0 {
			return nil, f.noTool(s, all)
		}
	}

	var failed *failure
	for _, t := range tools[:min(len(tools), 3)] {
		found, why := f.search(ctx, p, s, t)
		if why == nil {
			return found, nil
		}

		if failed == nil || why.step > failed.step {
			failed = why
		}
	}

	return nil, failed
}

func (f *finder) noTool(s Start, all []string) *failure {
	list := strings.Join(all[:min(len(all), 10)], ", ")
	switch {
	case len(all) == 0:
		return &failure{stepTool, s, errors.New("it lists no tools: the evaluation needs one that searches")}
	case f.SearchTool != "":
		return &failure{stepTool, s, fmt.Errorf("it has no tool %q: it lists %s", f.SearchTool, list)}
	}
	return &failure{stepTool, s, fmt.Errorf("none of its tools looks like a search: it lists %s; name the search with "+
		"--search-tool", list)}
}

// patience is how long a proxy may take to read its servers when it is first searched.
const patience = 8 * time.Second

// search tries a tool until its answer names tools of the servers.
func (f *finder) search(ctx context.Context, p *undertest.Proxy, s Start, t SearchTool) (*Found, *failure) {
	why := ""
	for began := time.Now(); ; {
		for _, query := range f.queries() {
			arguments := map[string]any{t.Query: query}
			if t.Limit != "" {
				arguments[t.Limit] = 5
			}

			answer, err := p.Ask(ctx, adapter.Question{Call: t.Name, Arguments: arguments})
			if err != nil {
				why = fmt.Sprintf("%s does not answer the query %q: %v", t.Name, query, err)
				continue
			}

			m, problem := f.names.mappingOf(answer.Text, answer.JSON)
			if problem == "" {
				return f.verify(ctx, s, t, m, query)
			}

			why = fmt.Sprintf("%s answered the query %q, but the answer cannot be used: %s; it begins %s", t.Name,
				query, problem, beginning(answer.Text))
		}

		if time.Since(began) > patience || ctx.Err() != nil {
			return nil, &failure{stepAnswer, s, p.WithLog(errors.New(why))}
		}

		time.Sleep(patience / 16)
	}
}

// verify starts the proxy anew with the whole adapter and searches as the evaluation does.
func (f *finder) verify(ctx context.Context, s Start, t SearchTool, m Mapping, query string) (*Found, *failure) {
	found := &Found{Adapter: describe(f.Name, f.Program, s, searchBlock(t, m)), Start: s, Tool: t, Query: query}
	p, err := f.open(ctx, found.Adapter, true)
	if err != nil {
		return nil, &failure{stepVerify, s, err}
	}

	defer p.Stop()
	answer, err := p.Search(ctx, query, 5)
	if err != nil {
		return nil, &failure{stepVerify, s, p.WithLog(err)}
	}

	for _, hit := range answer.Tools {
		server, tool, _ := strings.Cut(hit.Name, ":")
		if f.names.has(server, tool) {
			if found.Hits++; found.First == "" {
				found.First = hit.Name
			}
		}
	}

	if found.Hits == 0 {
		err := fmt.Errorf("%s finds nothing for %q when it is started again", t.Name, query)
		return nil, &failure{stepVerify, s, err}
	}

	return found, nil
}

// queries are about a tool of each replayed server, in words of its description.
func (f *finder) queries() []string {
	var list []string
	for i, t := range f.sample.Tools {
		if i > 0 && f.sample.Tools[i-1].Server == t.Server {
			continue
		}
		words := strings.Fields(strings.ReplaceAll(t.Tool, "_", " ") + " " + t.Description)
		list = append(list, strings.Trim(strings.Join(words[:min(len(words), 8)], " "), ".,;:"))
	}
	return list
}

func beginning(text []byte) string {
	const most = 160
	shown := strings.Join(strings.Fields(string(text)), " ")
	if len(shown) > most {
		shown = strings.ToValidUTF8(shown[:most], "") + "..."
	}
	return fmt.Sprintf("%q", shown)
}

// sampleOf returns the tools of a few small servers, so that a start takes little time.
func sampleOf(corpus contracts.Corpus) contracts.Corpus {
	const servers, least, most = 3, 4, 12
	byServer := map[string][]contracts.Tool{}
	for _, t := range corpus.Tools {
		byServer[t.Server] = append(byServer[t.Server], t)
	}

	sample := corpus
	sample.Tools = nil
	n := 0
	for _, name := range slices.Sorted(maps.Keys(byServer)) {
		if tools := byServer[name]; n < servers && len(tools) >= least && len(tools) <= most {
			sample.Tools = append(sample.Tools, tools...)
			n++
		}
	}

	if n == 0 {
		return corpus
	}

	return sample
}

// explain words the failure that came farthest, with a remedy.
func (f *finder) explain(failed *failure) error {
	how := shown(failed.start)
	switch failed.step {
	case stepStart:
		return fmt.Errorf("the proxy does not start: %w\nIt was started with: %s\nStart it by hand and correct what "+
			"it says, or name its command with --proxy-start 'COMMAND', in which {config} stands for the file with "+
			"the servers, and {port} or {listen} for the address of a proxy over HTTP", failed.err, how)
	case stepList:
		return fmt.Errorf("the proxy started but does not answer tools/list over %s: %w\nIt was started with: %s\nIf "+
			"it speaks another transport, name its command with --proxy-start 'COMMAND': with {port} or {listen} it "+
			"is asked over HTTP, and otherwise over stdio", transportName(failed.start.Transport), failed.err, how)
	case stepTool:
		return fmt.Errorf("the proxy was started with: %s\n%w", how, failed.err)
	case stepAnswer:
		return fmt.Errorf("the proxy was started with: %s\n%w\nIf it did not read its servers, name its command with "+
			"--proxy-start 'COMMAND', in which {config} stands for a file with %s. If another tool is the search, "+
			"name it with --search-tool. For any other answer write an adapter: docs/how-to/write-an-adapter.md", how,
			failed.err, failed.start.Format)
	}
	return fmt.Errorf("the adapter that follows from a trial does not work: %w\nThe proxy was started with: %s\nWrite "+
		"the adapter by hand: docs/how-to/write-an-adapter.md", failed.err, how)
}
