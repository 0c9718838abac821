package input

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"golang.org/x/sync/errgroup"

	"github.com/touchstone-eval/touchstone/internal/base/safetext"
	"github.com/touchstone-eval/touchstone/internal/base/subprocess"
	"github.com/touchstone-eval/touchstone/internal/proxy/mcpclient"
)

// Version is the version that the scan reports to servers and in reports.
const Version = "1"

// tailSize is how much of what a server prints for people is kept for messages, in
// bytes.
const tailSize = 4 << 10

// maxConcurrent is the number of servers that are listed at the same time.
const maxConcurrent = 4

// CommandServer is the server started by a command line. Its default name is
// that of its program, or of what that program runs.
func CommandServer(name string, command []string) Server {
	s := Server{Name: name, Command: command, Transport: "stdio", Client: "the command line"}
	if s.Name == "" {
		s.Name = programOf(command)
	}
	s.Place = Place{File: "<server " + s.Name + ">"}
	return s
}

// launchers are programs whose name does not describe the server that they
// start. Package runners get the name of a package, the others a path.
var launchers = map[string]bool{
	"npx": true, "bunx": true, "uvx": true, "pipx": true, "pnpm": true, "yarn": true,
	"node": false, "bun": false, "deno": false, "python": false, "python3": false, "sh": false, "bash": false,
}

// subcommands may come between a launcher and what it starts.
var subcommands = []string{"run", "exec", "x", "dlx"}

// programOf names a server after the program of its command, or what that
// program runs. It uses only the last part of a path, because baselines and
// suppressions contain the name and should work on other machines.
func programOf(command []string) string {
	if filepath.Base(command[0]) == "env" { // the variables do not describe it
		if rest := slices.IndexFunc(command[1:], func(w string) bool { return !strings.Contains(w, "=") }); rest >= 0 &&
			!strings.HasPrefix(command[1+rest], "-") {
			return programOf(command[1+rest:])
		}
	}

	name := filepath.Base(command[0])
	packages, launches := launchers[name]
	if !launches {
		return name
	}

	for i, arg := range command[1:] {
		switch {
		case arg == "-c" || arg == "-e": // the next argument is source code
			return name
		case strings.HasPrefix(arg, "-") || slices.Contains(subcommands, arg):
			continue
		case packages || command[i] == "-m":
			return arg
		case strings.HasSuffix(filepath.ToSlash(filepath.Dir(arg)), "node_modules/.bin"):
			return filepath.Base(arg)
		}

		return serverOf(arg)
	}

	return name
}

// URLServer is the server at a URL, over streamable HTTP. Its default name is
// its host.
func URLServer(name, address string, headers map[string]string) (Server, error) {
	s := Server{Name: name, URL: address, Transport: "http", Headers: headers, Client: "the command line"}
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return s, fmt.Errorf("%q is not an http or https URL: write it as https://host/mcp", displayURL(address))
	}
	if s.Name == "" {
		s.Name = u.Host
	}
	s.Place = Place{File: "<server " + s.Name + ">"}
	return s, nil
}

// List starts or contacts each server, lists its tools and stops it. The caller
// must have the user's consent for all of them. Each may take up to timeout.
// The tools of a server that fails are recorded as not scanned in Input. List
// itself fails only if ctx ends.
func List(ctx context.Context, servers []Server, timeout time.Duration) (*Input, error) {
	return listAll(ctx, servers, timeout, false)
}

// ListEverything does the same, and also lists what else servers tell models: their
// instructions, prompts, resources and resource templates.
func ListEverything(ctx context.Context, servers []Server, timeout time.Duration) (*Input, error) {
	return listAll(ctx, servers, timeout, true)
}

func listAll(ctx context.Context, servers []Server, timeout time.Duration, everything bool) (*Input, error) {
	results := make([]*Input, len(servers))
	var group errgroup.Group
	group.SetLimit(maxConcurrent)
	for i, s := range servers {
		group.Go(func() error {
			results[i] = listOne(ctx, s, timeout, everything)
			return nil
		})
	}

	_ = group.Wait() // the functions of the group return no errors
	if err := ctx.Err(); err != nil {
		return nil, err
	}

	in := &Input{}
	for _, r := range results {
		in.add(r)
	}

	in.sort()
	return in, nil
}

func listOne(ctx context.Context, s Server, timeout time.Duration, everything bool) *Input {
	if over, ok := s.skipped(); ok {
		return &Input{PassedOver: []PassedOver{over}}
	}

	ready := s
	var err error
	if s.declared() {
		ready, err = s.expanded()
	}

	if err != nil {
		return &Input{Unscanned: []Unscanned{s.unscanned(err.Error(),
			"set it in the environment, or name the server with --server-command or --url")}}
	}

	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	c, printed := &capture{}, subprocess.NewTail(tailSize)
	in, err := list(ctx, ready, everything, c, printed)
	if err != nil {
		f := failure{server: ready, err: err, timedOut: ctx.Err() != nil, timeout: timeout, answered: c.answered.Load()}
		in = f.partial(s, c.rest(ready), everything, lastLines(ready.redact(printed.String())))
	}

	// Reports show the entry as written, without the expanded variables.
	for i := range in.Unscanned {
		in.Unscanned[i].Source = s.Display()
	}

	return in
}

// list lists all tools of one server, and everything else if asked for. What the server
// prints for people goes to printed.
func list(ctx context.Context, s Server, everything bool, c *capture, printed io.Writer) (*Input, error) {
	var in *Input
	err := mcpclient.Use(ctx, s.target(), mcpclient.Options{
		Name: "touchstone-scan", Version: Version, Observe: c.message, Stderr: printed,
	}, func(ctx context.Context, session *mcp.ClientSession) error {
		listed, err := listUntilStable(ctx, session, c, s)
		if err != nil {
			return err
		}

		besides := listed.Others
		listed.Others = nil
		if everything {
			listOthers(ctx, session, c, s, listed)
			listed.addExtraTexts(besides)
		}

		in = listed
		return ctx.Err()
	})
	return in, err
}

func (s Server) target() mcpclient.Target {
	return mcpclient.Target{Command: s.Command, Dir: s.Dir, Env: s.Env, URL: s.URL, Headers: s.Headers,
		Transport: s.Transport, Dial: s.Dial}
}

// A server that announces changes of its list may still register tools when it
// answers the handshake. Its list is used once it was the same twice,
// settleAfter apart, and refused after maxListings.
const (
	settleAfter = 250 * time.Millisecond
	maxListings = 8
)

// listUntilStable lists the tools until two consecutive lists are equal.
func listUntilStable(ctx context.Context, session *mcp.ClientSession, c *capture, s Server) (*Input, error) {
	said := session.InitializeResult()
	var before []string
	var latest *Input
	for range maxListings {
		tools, err := mcpclient.Tools(ctx, session)
		if err != nil && !malformed(err) {
			return nil, err
		}

		listed := make([]string, len(tools)) // what the client library understood
		for i, t := range tools {
			listed[i] = t.Name
		}

		in, err := c.read(s, "tools", listed)
		var none *noAnswerError
		if latest != nil && errors.As(err, &none) {
			return latest, nil // the server said how long its list stays the same, and was not asked again
		}

		if err != nil {
			return nil, err
		}

		if said.ServerInfo != nil {
			in.Listed = []Listed{{Server: s.Name, Name: said.ServerInfo.Name, Version: said.ServerInfo.Version}}
		}

		if said.Capabilities == nil || said.Capabilities.Tools == nil || !said.Capabilities.Tools.ListChanged {
			return in, nil
		}

		now := make([]string, 0, len(in.Tools))
		for _, t := range in.Tools {
			now = append(now, Content(&t.Tool))
		}

		slices.Sort(now)
		if before != nil && slices.Equal(before, now) {
			return in, nil
		}

		before, latest = now, in
		select {
		case <-time.After(settleAfter):
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}

	return nil, fmt.Errorf("its list of tools changed in each of %d listings", maxListings)
}

// malformed reports whether the client library refused a whole list for the shape of an
// element. The record has the others.
func malformed(err error) bool {
	return err != nil && strings.Contains(err.Error(), "cannot unmarshal")
}

// Announce writes what List would start or contact, one line each.
func Announce(w io.Writer, servers []Server) {
	for _, s := range servers {
		verb := "starting"
		if s.URL != "" {
			verb = "connecting to"
		}

		if s.Disabled {
			verb = "not starting (disabled)"
		} else if _, skip := s.skipped(); skip {
			verb = "not starting (needs input)"
		}

		fmt.Fprintf(w, "%s %s: %s\n", verb, safetext.Visible(s.Name), safetext.Visible(s.Display()))
	}
}
