package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/touchstone-eval/touchstone/internal/atomicfile"
	"github.com/touchstone-eval/touchstone/internal/readlimit"
	"github.com/touchstone-eval/touchstone/internal/safetext"
	"github.com/touchstone-eval/touchstone/internal/scanreport"
	"github.com/touchstone-eval/touchstone/internal/toollist"
	"github.com/touchstone-eval/touchstone/scanner"
)

// Exit codes of touchstone scan, as its help documents them.
const (
	exitScanFound      = 1
	exitScanIncomplete = 3
)

// scanFlags are the flags and arguments of touchstone scan.
type scanFlags struct {
	paths          []string
	server         string
	start, clients bool
	commands, urls []string
	headers        []string
	timeout        time.Duration
	format, output string
	baseline       string
	approve        string
	failOn         string
	checks, skip   []string
	suppressions   string
}

const scanLong = `Scan tool definitions for attacks on the model that reads them: hidden text,
instructions to the model, tools that impersonate others, and exfiltration of
data. The scan is deterministic and needs no network.

PATH is a file, a directory, or - for standard input. In a directory, all JSON
files in a supported format are scanned, and the others are listed as skipped.
The formats are:

  one or more tools/list results, as {"tools": [...]} or as whole JSON-RPC
  answers; a corpus; rows of server, tool, description, inputSchema and
  outputSchema; the configuration of Claude Desktop, Claude Code, Cursor,
  VS Code, Windsurf or Gemini, which --clients finds automatically

A client configuration only declares servers. By default they are not started,
and are listed as not scanned. --start starts or contacts all enabled servers,
after printing their commands and addresses. --server-command and --url each
name one server to start or contact. A server that is started runs with your
rights, before its tools are scanned.

`

const scanExitHelp = `Exit codes:
  0    everything was scanned, without a finding at or above --fail-on
  1    there are findings at or above --fail-on
  2    usage error, or an input cannot be read
  3    something was not scanned, or a check failed, and there are no such findings
  130  interrupted`

func newScanCommand(global *globalFlags) *cobra.Command {
	flags := &scanFlags{}
	cmd := &cobra.Command{
		Use:   "scan [PATH...|-]",
		Short: "Scan tool definitions from files, client configurations or live servers",
		Long:  scanLong + scanExitHelp + "\n\n" + checksHelp(),
		Example: `  touchstone scan tools.json
  touchstone scan --fail-on medium --format sarif -o scan.sarif .
  touchstone scan --start ~/.cursor/mcp.json
  touchstone scan --clients
  touchstone scan --server-command "npx -y some-mcp-server" --json
  touchstone scan --approve approved.json tools.json
  touchstone scan --baseline approved.json tools.json`,
		RunE: func(cmd *cobra.Command, args []string) error {
			flags.paths = args
			return runScan(cmd, global, flags)
		},
	}
	f := cmd.Flags()
	f.BoolVar(&flags.clients, "clients", false, "scan the client configurations at their usual paths, for this user and the current directory")
	f.BoolVar(&flags.start, "start", false, "start or contact the servers that the configurations declare")
	f.StringArrayVar(&flags.commands, "server-command", nil, "start this server and scan its tools (repeatable; split into words like in a shell, but run without one)")
	f.StringArrayVar(&flags.urls, "url", nil, "contact this server over streamable HTTP and scan its tools (repeatable)")
	f.StringArrayVar(&flags.headers, "header", nil, `send this header to every --url, as "Name: value" (repeatable)`)
	f.StringVar(&flags.server, "server", "", "the name of the server, for tool lists without server names, --server-command or --url")
	f.DurationVar(&flags.timeout, "timeout", 30*time.Second, "the time limit for a server to start and list its tools")
	f.StringVar(&flags.format, "format", "table", "table, json, sarif, html or markdown")
	f.StringVarP(&flags.output, "output", "o", "", "write to this file, completely or not at all, instead of standard output")
	f.StringVar(&flags.baseline, "baseline", "", "compare with the approved tools in this file, and report rug pulls")
	f.StringVar(&flags.approve, "approve", "", "approve the scanned tools: write them to this file, for use with --baseline")
	f.StringVar(&flags.failOn, "fail-on", "high", "the lowest severity that fails the scan: none (never fail), low, medium, high or critical")
	f.StringSliceVar(&flags.checks, "check", nil, "run only these checks (repeatable)")
	f.StringSliceVar(&flags.skip, "skip", nil, "do not run these checks (repeatable)")
	f.StringVar(&flags.suppressions, "suppressions", "", "a file of accepted signals, HCL or JSON: tool, check, reason, expires")
	return cmd
}

// checksHelp lists the checks with their ids.
func checksHelp() string {
	var b strings.Builder
	b.WriteString("Checks:\n")
	for _, c := range scanner.Checks() {
		fmt.Fprintf(&b, "  %-24s %-4s  %s\n", c.ID, c.Tier, c.Description)
	}
	return strings.TrimRight(b.String(), "\n")
}

// scanWriters writes a report, by format.
var scanWriters = map[string]func(*scanreport.Result, io.Writer) error{
	"table":    (*scanreport.Result).WriteTable,
	"json":     (*scanreport.Result).WriteJSON,
	"sarif":    (*scanreport.Result).WriteSARIF,
	"html":     (*scanreport.Result).WriteHTML,
	"markdown": (*scanreport.Result).WriteMarkdown,
}

// check reports usage errors before any file is read and any server is started.
func (f *scanFlags) check(cmd *cobra.Command, global *globalFlags) error {
	if global.json {
		if cmd.Flags().Changed("format") && f.format != "json" {
			return fmt.Errorf("--json and --format %s exclude each other: use one of them", f.format)
		}
		f.format = "json"
	}
	if scanWriters[f.format] == nil {
		return fmt.Errorf("--format %q is unknown: use table, json, sarif, html or markdown", f.format)
	}
	severities := []scanner.Severity{scanner.SeverityNone, scanner.SeverityLow, scanner.SeverityMedium, scanner.SeverityHigh, scanner.SeverityCritical}
	if !slices.Contains(severities, scanner.Severity(f.failOn)) {
		return fmt.Errorf("--fail-on %q is unknown: use none, low, medium, high or critical", f.failOn)
	}
	for flag, ids := range map[string][]string{"--check": f.checks, "--skip": f.skip} {
		for _, id := range ids {
			if err := scanreport.KnownCheck(id); err != nil {
				return fmt.Errorf("%s: %w", flag, err)
			}
		}
	}
	if len(f.paths)+len(f.commands)+len(f.urls) == 0 && !f.clients {
		return fmt.Errorf("there is nothing to scan: give a file, a directory, - for standard input, --clients, --server-command or --url")
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

func runScan(cmd *cobra.Command, global *globalFlags, flags *scanFlags) error {
	if err := flags.check(cmd, global); err != nil {
		return err
	}
	named, err := flags.namedServers()
	if err != nil {
		return err
	}
	opts, err := flags.options(cmd.Context(), time.Now())
	if err != nil {
		return err
	}
	in, err := toollist.ReadPaths(cmd.Context(), flags.paths, toollist.ReadOptions{
		Server: flags.server, Stdin: cmd.InOrStdin(),
		Own: []string{flags.baseline, flags.approve, flags.suppressions, flags.output},
	})
	if err != nil {
		return err
	}
	if flags.clients {
		found, err := readClients(cmd.Context())
		if err != nil {
			return err
		}
		in.Add(found)
	}
	if err := flags.listServers(cmd.Context(), in, named, cmd.ErrOrStderr()); err != nil {
		return err
	}
	result, err := scanreport.Judge(in, opts)
	if err != nil {
		return err
	}
	if err := flags.write(cmd.OutOrStdout(), result); err != nil {
		return err
	}
	if err := flags.writeBaseline(cmd.ErrOrStderr(), in, result); err != nil {
		return err
	}
	return flags.verdict(cmd.ErrOrStderr(), result)
}

// readClients reads the client configurations of the current user.
func readClients(ctx context.Context) (*toollist.Input, error) {
	home, err := os.UserHomeDir()
	if err != nil {
		return nil, fmt.Errorf("--clients: %w; name the files instead", err)
	}
	config, err := os.UserConfigDir()
	if err != nil {
		return nil, fmt.Errorf("--clients: %w; name the files instead", err)
	}
	return toollist.ReadClients(ctx, toollist.ClientFiles(home, config, ""))
}

// options reads the baseline and the suppressions.
func (f *scanFlags) options(ctx context.Context, now time.Time) (scanreport.Options, error) {
	opts := scanreport.Options{Checks: f.checks, Skip: f.skip, Today: now.UTC().Format(time.DateOnly)}
	if f.baseline != "" {
		text, err := readlimit.File(ctx, f.baseline, toollist.MaxFile)
		if err != nil {
			return opts, fmt.Errorf("read the baseline: %w; write one with --approve", err)
		}
		if opts.Baseline, err = scanreport.ParseBaseline(f.baseline, text); err != nil {
			return opts, fmt.Errorf("read the baseline: %w", err)
		}
	}
	if f.suppressions != "" {
		text, err := readlimit.File(ctx, f.suppressions, toollist.MaxFile)
		if err != nil {
			return opts, fmt.Errorf("read the suppressions: %w; check the path", err)
		}
		if opts.Suppressions, err = scanreport.ParseSuppressions(f.suppressions, text); err != nil {
			return opts, fmt.Errorf("read the suppressions: %w", err)
		}
	}
	return opts, nil
}

// namedServers returns the servers of --server-command and --url. Naming a server
// is the consent to start or contact it.
func (f *scanFlags) namedServers() ([]toollist.Server, error) {
	var servers []toollist.Server
	for _, line := range f.commands {
		words, err := toollist.SplitCommand(line)
		if err != nil {
			return nil, fmt.Errorf("--server-command: %w", err)
		}
		servers = append(servers, toollist.CommandServer(f.server, words))
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
		s, err := toollist.URLServer(f.server, u, headers)
		if err != nil {
			return nil, fmt.Errorf("--url: %w", err)
		}
		servers = append(servers, s)
	}
	seen := map[string]bool{}
	for _, s := range servers {
		if seen[s.Name] {
			return nil, fmt.Errorf("two servers would have the name %q: scan one at a time, and name it with --server", safetext.Visible(s.Name))
		}
		seen[s.Name] = true
	}
	return servers, nil
}

// listServers lists the tools of the servers with consent, and records the other
// servers as not scanned.
func (f *scanFlags) listServers(ctx context.Context, in *toollist.Input, named []toollist.Server, log io.Writer) error {
	servers := named
	if f.start {
		servers = append(servers, in.Servers...)
	} else {
		in.LeaveServers("give --start once you trust it")
	}
	if len(servers) == 0 {
		return nil
	}
	toollist.Announce(log, servers)
	live, err := toollist.List(ctx, servers, f.timeout)
	if err != nil {
		return err
	}
	in.Add(live)
	return nil
}

func (f *scanFlags) write(stdout io.Writer, r *scanreport.Result) error {
	write := scanWriters[f.format]
	if f.output == "" {
		return write(r, stdout)
	}
	var text bytes.Buffer
	if err := write(r, &text); err != nil {
		return err
	}
	if err := atomicfile.WriteFile(f.output, text.Bytes(), 0o644); err != nil {
		return fmt.Errorf("write the report: %w; choose another file with -o", err)
	}
	return nil
}

// writeBaseline writes the scanned tools as approved. It does not write a partial
// baseline, which would lose earlier approvals.
func (f *scanFlags) writeBaseline(log io.Writer, in *toollist.Input, r *scanreport.Result) error {
	if f.approve == "" {
		return nil
	}
	if !r.Complete() {
		fmt.Fprintf(log, "touchstone: %s was not written: not everything was scanned\n", f.approve)
		return nil
	}
	text, err := scanreport.Baseline(in.Tools)
	if err != nil {
		return fmt.Errorf("approve: %w", err)
	}
	if err := atomicfile.WriteFile(f.approve, text, 0o644); err != nil {
		return fmt.Errorf("write the baseline: %w; choose another file with --approve", err)
	}
	fmt.Fprintf(log, "approved %d tools in %s\n", r.Coverage.ToolsScanned, f.approve)
	return nil
}

// verdict returns the exit code for the result, as an error. It also prints the
// main facts on standard error, for formats that are not read by people.
func (f *scanFlags) verdict(log io.Writer, r *scanreport.Result) error {
	for _, s := range r.Expired {
		fmt.Fprintf(log, "touchstone: a suppression expired on %s and has no effect: %s\n", s.Expires, s)
	}
	for _, s := range r.Unused {
		fmt.Fprintf(log, "touchstone: a suppression is no longer needed: %s\n", s)
	}
	if !r.Complete() {
		fmt.Fprintf(log, "touchstone: not everything was scanned: %d not scanned, %d partially scanned\n", len(r.Unscanned), len(r.Incomplete))
	}
	if n := r.AtLeast(scanner.Severity(f.failOn)); n > 0 {
		fmt.Fprintf(log, "touchstone: %d of severity %s or higher\n", n, f.failOn)
		return &exitError{exitScanFound, nil}
	}
	if !r.Complete() {
		return &exitError{exitScanIncomplete, nil}
	}
	return nil
}
