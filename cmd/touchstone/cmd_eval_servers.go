//go:build !containers

package main

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/touchstone-eval/touchstone/internal/base/arguments"
	"github.com/touchstone-eval/touchstone/internal/base/safetext"
	"github.com/touchstone-eval/touchstone/internal/selection"
	"github.com/touchstone-eval/touchstone/internal/selection/advice"
	"github.com/touchstone-eval/touchstone/internal/selection/runner"
	"github.com/touchstone-eval/touchstone/internal/selection/store"
)

func newEvalServersCommand(f *evalFlags) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "servers",
		Short: "List, add and remove MCP servers",
		Args:  arguments.None,
		RunE: f.withData(func(cmd *cobra.Command, _ []string, s *store.Store) error {
			list, err := allPages(func(p store.Page) ([]selection.Server, int, error) {
				return s.Servers(cmd.Context(), store.ServerFilter{Page: p})
			})
			if err != nil {
				return err
			}

			return f.print(cmd.OutOrStdout(), list, func(w io.Writer) { serverTable(w, list.Items...) })
		}),
	}
	var login loginFlags
	add := &cobra.Command{
		Use:   "add NAME URL",
		Short: "Add a server and check the connection",
		Long: `Add a server. URL is the http:// or https:// address of its endpoint, or stdio:
followed by the command that starts it. The command checks the connection, but reads
no tools. It only starts a program with --start. Without --start, a stdio server
remains inactive until the first run with --start.

A server behind a login gets what it needs by reference: env:NAME, file:PATH, or
${env:NAME} within a text. The reference is stored, and never the secret. A server that
needs OAuth's client credentials is added with touchstone eval import: the entry of the
server in the file has them in "oauth". So is a server of the older transport over HTTP:
its entry has "transport": "sse".`,
		Example: `  touchstone eval servers add files https://localhost:3000/mcp
  touchstone eval servers add --header 'Authorization=Bearer ${env:TOKEN}' github https://api.example.com/mcp
  touchstone eval servers add --start --env API_KEY=env:API_KEY git "stdio:npx -y some-mcp-server"`,
		Args: arguments.Exactly(2),
		RunE: f.withStore(func(cmd *cobra.Command, args []string, s *store.Store) error {
			server := selection.Server{Name: args[0], URL: args[1]}
			var err error
			if server.Login, err = login.login(); err != nil {
				return err
			}

			server, reason, err := runner.Register(cmd.Context(), s, f.live(), server)
			if err != nil {
				return err
			}

			reportCheck(cmd, server, reason)
			return f.print(cmd.OutOrStdout(), server, func(w io.Writer) { serverTable(w, server) })
		}),
	}
	login.flags(add.Flags())
	check := &cobra.Command{
		Use:   "check [NAME...]",
		Short: "Check the connections of servers again",
		Long: `Check the connections of the named servers, or of all, and record the results. A
program may take two minutes to start, because it may be downloaded first.`,
		RunE: f.withData(func(cmd *cobra.Command, args []string, s *store.Store) error {
			list, err := allPages(func(p store.Page) ([]selection.Server, int, error) {
				return s.Servers(cmd.Context(), store.ServerFilter{Page: p})
			})
			if err != nil {
				return err
			}

			chosen, failed := []selection.Server{}, false
			for _, name := range args {
				if _, err := s.ServerNamed(cmd.Context(), name); err != nil {
					return err
				}
			}

			for _, server := range list.Items {
				if len(args) > 0 && !slices.Contains(args, server.Name) {
					continue
				}

				checked, reason, err := runner.CheckAgain(cmd.Context(), s, f.live(), server)
				if err != nil {
					return err
				}

				reportCheck(cmd, checked, reason)
				failed = failed || reason != nil
				chosen = append(chosen, checked)
			}

			err = f.print(cmd.OutOrStdout(), evalPage[selection.Server]{chosen, len(chosen)},
				func(w io.Writer) { serverTable(w, chosen...) })
			if err == nil && failed {
				err = &exitError{exitStageFailed, nil}
			}

			return err
		}),
	}
	remove := &cobra.Command{
		Use:   "remove NAME",
		Short: "Remove a server that is not used by any case or run",
		Args:  arguments.Exactly(1),
		RunE: f.withData(func(cmd *cobra.Command, args []string, s *store.Store) error {
			server, err := s.ServerNamed(cmd.Context(), args[0])
			if err != nil {
				return err
			}

			return s.DeleteServer(cmd.Context(), server.ID)
		}),
	}
	f.addStart(add)
	f.addStart(check)
	cmd.AddCommand(add, check, remove)
	return cmd
}

// reportCheck says why the check of a server did not succeed.
func reportCheck(cmd *cobra.Command, server selection.Server, reason error) {
	if reason == nil {
		return
	}

	state := string(server.Status)
	if errors.Is(reason, runner.ErrSlow) {
		state = "slow"
		reason = errors.New(strings.TrimPrefix(reason.Error(), runner.ErrSlow.Error()+": "))
	}

	fmt.Fprintf(cmd.ErrOrStderr(), "touchstone: server %s is %s: %s\n", safetext.Visible(server.Name), state,
		safetext.Visible(reason.Error()))
}

// loginFlags say how a server is logged in to.
type loginFlags struct{ headers, env []string }

func (f *loginFlags) flags(p *pflag.FlagSet) {
	p.StringArrayVar(&f.headers, "header", nil, "a header of requests to the server, NAME=REFERENCE (repeatable)")
	p.StringArrayVar(&f.env, "env", nil, "a variable of the program's environment, NAME=REFERENCE (repeatable)")
}

func (f *loginFlags) login() (selection.Login, error) {
	var l selection.Login
	for _, list := range []struct {
		flag   string
		texts  []string
		values *map[string]string
	}{{"--header", f.headers, &l.Headers}, {"--env", f.env, &l.Env}} {
		for _, text := range list.texts {
			name, value, ok := strings.Cut(text, "=")
			if !ok {
				// The text may be a secret, so it is not repeated.
				return l, fmt.Errorf("%s is written as NAME=REFERENCE, such as X-Api-Key=env:API_KEY", list.flag)
			}

			if *list.values == nil {
				*list.values = map[string]string{}
			}

			(*list.values)[strings.TrimSpace(name)] = strings.TrimSpace(value)
		}
	}

	return l, nil
}

func serverTable(w io.Writer, servers ...selection.Server) {
	row(w, "NAME", "STATUS", "TRANSPORT", "URL")
	for _, s := range servers {
		row(w, s.Name, string(s.Status), string(s.Transport), s.URL)
	}
}

func newEvalQualityCommand(f *evalFlags) *cobra.Command {
	return &cobra.Command{
		Use:   "quality SERVER...",
		Short: "Check the names, descriptions and schemas of servers' tools",
		Long: `Check what of the names, descriptions and schemas of servers' tools can keep a model
from the right choice: no description, none that says when to use the tool, the same
words in two names, parameters without a description or a type. Beside each tool are
the cases that went wrong with it in the stored runs: it was expected, or it was
called in place of another.`,
		Args: arguments.AtLeast(1),
		RunE: f.withData(func(cmd *cobra.Command, args []string, s *store.Store) error {
			var tools []selection.Tool
			for _, name := range args {
				server, err := s.ServerNamed(cmd.Context(), name)
				if err != nil {
					return err
				}

				listed, err := f.live().List(cmd.Context(), server)
				if err != nil {
					return &exitError{exitStageFailed, fmt.Errorf("list the tools of server %q: %w", name, err)}
				}

				tools = append(tools, listed...)
			}

			observations, err := s.Observations(cmd.Context(), store.RunFilter{})
			if err != nil {
				return err
			}

			checked := advice.Check(tools, tools)
			advice.SetWrong(checked, observations)
			return f.print(cmd.OutOrStdout(), checked, func(w io.Writer) {
				row(w, "SERVER", "TOOL", "FINDING", "WRONG CASES")
				for _, t := range checked {
					wrong := strings.Join(t.Wrong, ", ")
					if len(t.Findings) == 0 {
						row(w, t.Server, t.Tool, "-", wrong)
					}

					for _, x := range t.Findings {
						row(w, t.Server, t.Tool, x.Text, wrong)
					}
				}
			})
		}),
	}
}
