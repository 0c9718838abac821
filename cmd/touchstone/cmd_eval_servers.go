package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

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
	var transport string
	add := &cobra.Command{
		Use:   "add NAME URL",
		Short: "Add a server and check the connection",
		Long: `Add a server. URL is the http:// or https:// address of its endpoint, or stdio:
followed by the command that starts it. The command checks the connection, but reads
no tools. It only starts a program with --start. Without --start, a stdio server
remains inactive until the first run with --start.`,
		Example: `  touchstone eval servers add files https://localhost:3000/mcp
  touchstone eval servers add --start git "stdio:npx -y some-mcp-server"`,
		Args: arguments.Exactly(2),
		RunE: f.withStore(func(cmd *cobra.Command, args []string, s *store.Store) error {
			server, reason, err := runner.Register(cmd.Context(), s, f.live(),
				selection.Server{Name: args[0], URL: args[1], Transport: selection.Transport(transport)})
			if err != nil {
				return err
			}

			if reason != nil {
				fmt.Fprintf(cmd.ErrOrStderr(), "touchstone: server %s is %s: %s\n", safetext.Visible(server.Name),
					server.Status, safetext.Visible(reason.Error()))
			}

			return f.print(cmd.OutOrStdout(), server, func(w io.Writer) { serverTable(w, server) })
		}),
	}
	add.Flags().StringVar(&transport, "transport", "", "streamable-http, sse or stdio (default: determined by the URL)")
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
	cmd.AddCommand(add, remove)
	return cmd
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
