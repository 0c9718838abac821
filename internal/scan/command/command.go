// Package command is the command line of the scanner: the verb scan of
// touchstone, and the program touchstone-scan.
//
// command.go scans, pin.go writes what is approved, explain.go explains checks,
// approve.go approves changes. They only connect what is in packages input and report.
package command

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/dustin/go-humanize/english"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/touchstone-eval/touchstone/internal/base/atomicfile"
	"github.com/touchstone-eval/touchstone/internal/base/collector"
	"github.com/touchstone-eval/touchstone/internal/base/failure"
	"github.com/touchstone-eval/touchstone/internal/base/readlimit"
	"github.com/touchstone-eval/touchstone/internal/base/safetext"
	"github.com/touchstone-eval/touchstone/internal/scan/input"
	"github.com/touchstone-eval/touchstone/internal/scan/report"
	"github.com/touchstone-eval/touchstone/scanner"
)

// Exit codes, as the help documents them.
const (
	exitFound      = 1
	exitIncomplete = 3
)

// flags are the flags and arguments of touchstone scan.
type flags struct {
	program, name  string // the program, and with its verb
	json           *bool  // --json of the program
	paths          []string
	base           string // the directory to which the names of servers are relative, or ""
	server         string
	start, clients bool
	source         bool
	list           bool
	commands, urls []string
	headers        []string
	timeout        time.Duration
	format, output string
	baseline       string
	pin            string
	failOn         string
	checks, skip   []string
	suppressions   string
}

const scanLong = `Scan tool definitions for attacks on the model that reads them: hidden text,
instructions to the model, tools that impersonate others, and exfiltration of
data. The scan is deterministic and needs no network.

PATH is a file, a directory, or - for standard input. In a directory, scan reads
all JSON files in a supported format, and lists the others as skipped. The
formats are:

  tools/list results, as {"tools": [...]} or as JSON-RPC answers or batches
  a corpus of Touchstone
  rows of server, tool, description, inputSchema and outputSchema
  the tools of several servers, by the names of the servers
  tools for the APIs of OpenAI, Anthropic and Gemini
  the configuration of a client; --clients finds those of Claude, Cursor,
    VS Code, Codex, Gemini and more than 20 other clients
  the source of a server in Go, Python, TypeScript or JavaScript; in a
    directory, source is read with --source only

A client configuration declares servers. By default, scan does not start them,
and lists them as not scanned. --start prints the commands and addresses of all
enabled servers, and then starts or contacts them. --server-command starts one
server, and --url contacts one. A server that scan starts runs with your rights.

`

const scanExitHelp = `Exit codes:
  0    everything was scanned, without a finding or change at or above --fail-on
  1    there are findings or changes at or above --fail-on
  2    usage error, or an input cannot be read
  3    something was not scanned, or a check failed, and there are no findings
  130  interrupted`

// New returns the command. name is the program with the verb, as in its examples, and
// json the flag --json of the program.
func New(name string, json *bool) *cobra.Command {
	flags := &flags{program: strings.Fields(name)[0], name: name, json: json}
	cmd := &cobra.Command{
		Use:   name[strings.LastIndex(name, " ")+1:] + " [PATH...|-]",
		Short: "Scan tool definitions from files, client configurations or live servers",
		Long:  scanLong + scanExitHelp + "\n\n" + checksHelp(),
		Example: examples(name, `scan tools.json
scan --fail-on medium --format sarif -o scan.sarif .
scan --start ~/.cursor/mcp.json
scan --clients
scan --server-command "npx -y some-mcp-server" --json
scan --pin approved.json tools.json
scan --baseline approved.json --fail-on change tools.json`),
		RunE: func(cmd *cobra.Command, args []string) error {
			flags.paths = args
			if n := cmd.ArgsLenAtDash(); n >= 0 && n < len(args) && !there(args[n]) && isProgram(args[n]) {
				return fmt.Errorf("there is no file %s, and a command cannot follow --: give it as --server-command %q",
					safetext.Visible(args[n]), input.CommandServer("", args[n:]).Display())
			}

			return runScan(cmd, flags)
		},
		// A path that is no verb is not a mistyped one.
		Args: cobra.ArbitraryArgs,
	}
	cmd.AddCommand(newExplain(name, json), newApprove(name))
	f := cmd.Flags()
	flags.addInputs(f)
	f.StringVar(&flags.format, "format", "table", "table, json, sarif, html, markdown or codequality")
	f.StringVarP(&flags.output, "output", "o", "",
		"write to this file instead of standard output; after an error the file is unchanged")
	f.BoolVar(&flags.list, "list", false,
		"also list the tools, prompts and resources that were read, with their places")
	f.StringVar(&flags.baseline, "baseline", "",
		"compare with the approved definitions in this file, and report changes and rug pulls (changes to attacks)")
	f.StringVar(&flags.pin, "pin", "", "approve what was scanned: write the tools, prompts, resources and "+
		"instructions of every server to this file, for use with --baseline")
	f.StringVar(&flags.failOn, "fail-on", "high",
		"the lowest severity that fails the scan: low, medium, high or critical; none never fails; change is high, "+
			"and fails for any change since --baseline too")
	f.StringSliceVar(&flags.checks, "check", nil, "run only these checks (repeatable)")
	f.StringSliceVar(&flags.skip, "skip", nil, "do not run these checks (repeatable)")
	f.StringVar(&flags.suppressions, "suppressions", "",
		"a file of what you accept, in HCL or JSON; each entry has a tool, a check, a reason and, optionally, expires")
	return cmd
}

// addInputs adds the flags that say what to read.
func (f *flags) addInputs(set *pflag.FlagSet) {
	set.BoolVar(&f.clients, "clients", false,
		"scan the client configurations at their usual paths, for this user and the current directory")
	set.BoolVar(&f.source, "source", false, "also scan the source files of directories: Go, Python, TypeScript and "+
		"JavaScript")
	set.BoolVar(&f.start, "start", false, "start or contact the servers that the configurations declare")
	set.StringArrayVar(&f.commands, "server-command", nil,
		"start this server and scan its tools (repeatable; split into words like in a shell, but run without one)")
	set.StringArrayVar(&f.urls, "url", nil, "contact this server over streamable HTTP and scan its tools (repeatable)")
	set.StringArrayVar(&f.headers, "header", nil, `send this header to every --url, as "Name: value" (repeatable)`)
	set.StringVar(&f.server, "server", "", "the name of the server, for tool lists without server names, "+
		"--server-command or --url")
	set.DurationVar(&f.timeout, "timeout", 30*time.Second, "the time limit for a server to start and list its tools")
}

// examples indents examples, and writes the name of the program for scan.
func examples(name, text string) string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		lines[i] = "  " + name + strings.TrimPrefix(line, "scan")
	}
	return strings.Join(lines, "\n")
}

// checksHelp lists the checks with their ids.
func checksHelp() string {
	var b strings.Builder
	b.WriteString("Checks, of which a hard one can quarantine a tool, and a soft one only asks for a review:\n")
	for _, c := range scanner.Checks() {
		fmt.Fprintf(&b, "  %-24s %-4s  %s\n", c.ID, c.Tier, c.Description)
	}
	return strings.TrimRight(b.String(), "\n")
}

// scanWriters writes a report, by format.
var scanWriters = map[string]func(*report.Result, io.Writer) error{
	"table":    (*report.Result).WriteTable,
	"json":     (*report.Result).WriteJSON,
	"sarif":    (*report.Result).WriteSARIF,
	"html":     (*report.Result).WriteHTML,
	"markdown": (*report.Result).WriteMarkdown,

	"codequality": (*report.Result).WriteCodeQuality,
}

// check reports usage errors before any file is read and any server is started.
func (f *flags) check(cmd *cobra.Command) error {
	if *f.json {
		if cmd.Flags().Changed("format") && f.format != "json" {
			return fmt.Errorf("--json and --format %s exclude each other: use one of them", f.format)
		}

		f.format = "json"
	}

	if scanWriters[f.format] == nil {
		return fmt.Errorf("--format %q is unknown: use table, json, sarif, html, markdown or codequality", f.format)
	}

	if f.list && f.format == "codequality" {
		return fmt.Errorf("--list does not go with --format codequality, which has only findings: use json")
	}

	f.failOn = strings.ToLower(f.failOn)
	severities := []scanner.Severity{scanner.SeverityNone, scanner.SeverityLow, scanner.SeverityMedium,
		scanner.SeverityHigh, scanner.SeverityCritical, onChange}
	if !slices.Contains(severities, scanner.Severity(f.failOn)) {
		return fmt.Errorf("--fail-on %q is unknown: use none, low, medium, high, critical or change", f.failOn)
	}

	if f.failOn == onChange && f.baseline == "" {
		return fmt.Errorf("--fail-on %s requires --baseline", onChange)
	}

	for flag, ids := range map[string][]string{"--check": f.checks, "--skip": f.skip} {
		for _, id := range ids {
			if err := report.KnownCheck(id); err != nil {
				return fmt.Errorf("%s: %w", flag, err)
			}
		}
	}

	if err := f.checkInputs(); err != nil {
		return err
	}

	return f.checkPin()
}

// checkInputs reports usage errors of the flags that say what to read.
func (f *flags) checkInputs() error {
	if len(f.paths)+len(f.commands)+len(f.urls) == 0 && !f.clients {
		return fmt.Errorf("there is nothing to scan: give a file, a directory, - for standard input, --clients, " +
			"--server-command or --url")
	}

	for i, p := range f.paths {
		switch address, isAddress := strings.CutPrefix(p, "http"); {
		case there(p):
		case isAddress && (strings.HasPrefix(address, "://") || strings.HasPrefix(address, "s://")):
			return fmt.Errorf("%s is the address of a server, and no file: give it with --url", safetext.Visible(p))
		case i == 0 && p == "scan" && len(f.paths) > 1 && f.name != "":
			return fmt.Errorf("there is no file scan: leave out the word scan, as in %q", f.name+" "+
				safetext.Visible(f.paths[1]))
		}
	}

	if len(f.headers) > 0 && len(f.urls) == 0 {
		return fmt.Errorf("--header requires --url")
	}

	if f.server != "" && len(f.commands)+len(f.urls) > 1 {
		return fmt.Errorf("--server names one server, but several are given: scan one at a time")
	}

	if f.timeout <= 0 {
		return fmt.Errorf("--timeout must be greater than 0, such as 30s")
	}

	return nil
}

// isProgram reports whether a word is that of a program that could be started.
func isProgram(word string) bool {
	_, err := exec.LookPath(word)
	return err == nil
}

// there reports whether a path is that of a file or a directory.
func there(p string) bool {
	_, err := os.Stat(p)
	return err == nil
}

func runScan(cmd *cobra.Command, flags *flags) error {
	if err := flags.check(cmd); err != nil {
		return err
	}

	collector.LimitHuge(softMemory)
	opts, err := flags.options(cmd.Context(), time.Now())
	if err != nil {
		return err
	}

	flags.nameFrom(opts.Baseline)
	old, err := flags.readPinned(cmd.Context())
	if err != nil {
		return err
	}

	in, err := flags.read(cmd)
	if err != nil {
		return err
	}

	result, err := report.Judge(in, opts)
	if err != nil {
		return err
	}

	if err := flags.write(cmd.OutOrStdout(), result); err != nil {
		return err
	}

	if err := flags.writeBaseline(cmd.ErrOrStderr(), in, result, old); err != nil {
		return err
	}

	return flags.verdict(cmd.ErrOrStderr(), result)
}

// nameFrom sets the directory to which the names of servers are relative: that of the
// baseline, or of the file to pin.
func (f *flags) nameFrom(b *report.Baseline) {
	switch {
	case b != nil && b.RelativeNames:
		f.base = filepath.Dir(f.baseline)
	case b == nil && f.pin != "":
		f.base = filepath.Dir(f.pin)
	}
}

// read reads all inputs, and lists the servers with consent.
func (f *flags) read(cmd *cobra.Command) (*input.Input, error) {
	named, err := f.namedServers()
	if err != nil {
		return nil, err
	}

	in, err := input.ReadPaths(cmd.Context(), f.paths, input.ReadOptions{
		Server: f.server, Base: f.base, Stdin: cmd.InOrStdin(), Source: f.source,
		Own: []string{f.baseline, f.pin, f.suppressions, f.output},
	})
	if err != nil {
		return nil, err
	}

	if f.clients {
		found, err := readClients(cmd.Context())
		if err != nil {
			return nil, err
		}

		in.Add(found)
	}

	home, _ := os.UserHomeDir() // without one, only the project says what is disabled
	in.DisableRefused(cmd.Context(), home, "")
	return in, f.listServers(cmd.Context(), in, named, cmd.ErrOrStderr())
}

// readClients reads the client configurations of the current user.
func readClients(ctx context.Context) (*input.Input, error) {
	home, err := os.UserHomeDir()
	if err != nil {
		return nil, fmt.Errorf("--clients: %w; name the files instead", err)
	}

	config, err := os.UserConfigDir()
	if err != nil {
		return nil, fmt.Errorf("--clients: %w; name the files instead", err)
	}

	in, err := input.ReadClients(ctx, input.ClientFiles(home, config, ""))
	if err == nil {
		in.RemoveOtherProjects("")
	}

	return in, err
}

// options reads the baseline and the suppressions.
func (f *flags) options(ctx context.Context, now time.Time) (report.Options, error) {
	opts := report.Options{Checks: f.checks, Skip: f.skip, List: f.list, Today: now.UTC().Format(time.DateOnly)}
	if f.baseline != "" {
		b, err := readBaseline(ctx, f.baseline)
		if err != nil {
			return opts, err
		}

		opts.Baseline = b
	}

	if f.suppressions != "" {
		text, err := readlimit.File(ctx, f.suppressions, input.MaxFile)
		if err != nil {
			return opts, fmt.Errorf("read the suppressions: %w; check the path", err)
		}

		if opts.Suppressions, err = report.ParseSuppressions(f.suppressions, text); err != nil {
			return opts, fmt.Errorf("read the suppressions: %w", err)
		}
	}

	return opts, nil
}

// namedServers returns the servers of --server-command and --url. Naming a server
// is the consent to start or contact it.
func (f *flags) namedServers() ([]input.Server, error) {
	var servers []input.Server
	for _, line := range f.commands {
		words, err := input.SplitCommand(line)
		if err != nil {
			return nil, fmt.Errorf("--server-command: %w", err)
		}

		servers = append(servers, input.CommandServer(f.server, words))
	}

	headers := map[string]string{}
	for _, h := range f.headers {
		name, v, ok := strings.Cut(h, ":")
		if !ok || strings.TrimSpace(name) == "" {
			return nil, fmt.Errorf(`--header must be of the form "Name: value"`)
		}

		headers[strings.TrimSpace(name)] = strings.TrimSpace(v)
	}

	for _, u := range f.urls {
		s, err := input.URLServer(f.server, u, headers)
		if err != nil {
			return nil, fmt.Errorf("--url: %w", err)
		}

		servers = append(servers, s)
	}

	seen := map[string]bool{}
	for _, s := range servers {
		if seen[s.Name] {
			return nil, fmt.Errorf("two servers would have the name %q: scan one at a time, and name it with --server",
				safetext.Visible(s.Name))
		}

		seen[s.Name] = true
	}

	return servers, nil
}

// listServers lists the tools of the servers with consent, and records the other
// servers as not scanned.
func (f *flags) listServers(ctx context.Context, in *input.Input, named []input.Server, log io.Writer) error {
	servers := named
	if f.start {
		servers = append(servers, in.Servers...)
	} else {
		in.SkipServers("give --start once you trust it")
	}

	if len(servers) == 0 {
		return nil
	}

	input.Announce(log, servers)
	live, err := input.ListEverything(ctx, servers, f.timeout)
	if err != nil {
		return err
	}

	in.Add(live)
	return nil
}

func (f *flags) write(stdout io.Writer, r *report.Result) error {
	write := scanWriters[f.format]
	if f.output == "" {
		return write(r, stdout)
	}

	var text bytes.Buffer
	if err := write(r, &text); err != nil {
		return err
	}

	if err := writeFile(f.output, text.Bytes()); err != nil {
		return fmt.Errorf("write the report: %w; choose another file with -o", err)
	}

	return nil
}

// writeFile writes a file completely or not at all. Its error names the file, and not the
// one that is written beside it first.
func writeFile(file string, text []byte) error {
	err := atomicfile.WriteFile(file, text, 0o644)
	var path *fs.PathError
	var link *os.LinkError
	switch {
	case errors.As(err, &path):
		return fmt.Errorf("%s: %w", file, path.Err)
	case errors.As(err, &link):
		return fmt.Errorf("%s: %w", file, link.Err)
	}
	return err
}

// onChange is the value of --fail-on that allows no change since the baseline.
const onChange = "change"

// note prints a line in the name of the program.
func (f *flags) note(log io.Writer, format string, args ...any) {
	fmt.Fprintf(log, "%s: %s\n", f.program, fmt.Sprintf(format, args...))
}

// verdict returns the exit code for the result, as an error. It also prints the
// main facts on standard error, for formats that are not read by people.
func (f *flags) verdict(log io.Writer, r *report.Result) error {
	for _, s := range r.Expired {
		f.note(log, "a suppression expired on %s and has no effect: %s", s.Expires, s)
	}

	for _, s := range r.Unused {
		f.note(log, "a suppression is no longer needed: %s", s)
	}

	if !r.Complete() {
		var missing []string
		if n := len(r.Unscanned); n > 0 {
			missing = append(missing, fmt.Sprintf("%d not scanned", n))
		}

		if n := len(r.Incomplete); n > 0 {
			missing = append(missing, fmt.Sprintf("%d scanned in part", n))
		}

		f.note(log, "not everything was scanned: %s", strings.Join(missing, ", "))
	}

	if found := f.found(r); found != "" {
		f.note(log, "%s", found)
		return &failure.Reported{Code: exitFound}
	}

	if !r.Complete() {
		return &failure.Reported{Code: exitIncomplete}
	}

	return nil
}

// found says what fails the scan, or returns "".
func (f *flags) found(r *report.Result) string {
	least := scanner.Severity(f.failOn)
	if f.failOn == onChange {
		least = scanner.SeverityHigh
		if r.Drift.Any() {
			return fmt.Sprintf("%d changed since the baseline", len(r.Drift.Changes))
		}
	}

	findings, changes := r.Reached(least)
	if findings+changes == 0 {
		return ""
	}

	var what []string
	if findings > 0 {
		what = append(what, english.Plural(findings, "finding", ""))
	}

	if changes > 0 {
		what = append(what, english.Plural(changes, "change", ""))
	}

	severity := string(least) + " or higher"
	if least == scanner.SeverityCritical {
		severity = string(least)
	}

	return fmt.Sprintf("%s of severity %s", strings.Join(what, " and "), severity)
}
