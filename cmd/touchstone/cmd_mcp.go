//go:build !containers

package main

import (
	"context"
	"errors"
	"io"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/spf13/cobra"

	"github.com/touchstone-eval/touchstone/internal/base/arguments"
	"github.com/touchstone-eval/touchstone/internal/selection"
	"github.com/touchstone-eval/touchstone/internal/selection/mcpserver"
	"github.com/touchstone-eval/touchstone/internal/selection/model"
	"github.com/touchstone-eval/touchstone/internal/selection/runner"
)

// mcpFlags are those of touchstone eval mcp.
type mcpFlags struct {
	db         string
	start      bool
	models     []string
	execution  evalExecution
	embeddings embeddingsFlag
}

func newMCPCommand() *cobra.Command {
	f := &mcpFlags{}
	cmd := &cobra.Command{
		Use:   "mcp",
		Short: "Serve the evaluation of tool selection to an agent, over MCP on stdin and stdout",
		Long: `Serve the evaluation of tool selection as an MCP server over stdio: an agent lists
servers, cases and runs, starts runs and reads their results, compares tools, rates
the tools of a server and scans tool definitions.

The agent may ask the models that --model names, lexical/bm25 without one. It names
no address and no API key: these are in the file of --settings, or --base-url and
--api-key give those of one provider. Programs (stdio servers) are started only with
--start.

Other verbs may read the database. From the first start of runs until the agent
leaves, no other process may execute runs on it.`,
		Example: `  touchstone eval mcp
  touchstone eval mcp --db evaluations.db --start --model lexical/bm25 --model openai/gpt-4.1 --api-key env:OPENAI_API_KEY`,
		Args: arguments.None,
		RunE: func(cmd *cobra.Command, _ []string) error { return f.serve(cmd) },
	}
	p := cmd.Flags()
	p.StringVar(&f.db, "db", defaultEvalDB, "the database")
	p.BoolVar(&f.start, "start", false, "start the programs of stdio servers, with your rights")
	p.StringArrayVar(&f.models, "model", []string{"lexical/bm25"},
		"a model that the agent may ask, provider/model (repeatable)")
	f.execution.asking(p)
	f.execution.addressed(p)
	f.execution.running(p)
	f.embeddings.flags(p)
	return cmd
}

func (f *mcpFlags) serve(cmd *cobra.Command) (err error) {
	options, err := f.execution.models(cmd.Context(), cmd.ErrOrStderr(), nil, f.models)
	if err != nil {
		return err
	}

	settings, err := options.resolveAll(f.models)
	if err != nil {
		return err
	}

	c := mcpserver.Config{
		Live: runner.Live{StartPrograms: f.start}, Models: map[string]selection.Settings{}, Runs: options.Options,
		Version: version,
	}
	for _, m := range settings {
		// A model that cannot be used is better refused now than by every call.
		if _, err := options.Models.New(m, model.Options{Cassette: options.Play}); err != nil {
			return err
		}

		c.Models[m.Provider+"/"+m.Model] = m
	}

	encoder, err := f.embeddings.open()
	if err != nil {
		return err
	}

	if encoder != nil {
		c.Encoder = encoder
	}

	ctx := cmd.Context()
	if c.Store, err = createDB(ctx, f.db); err != nil {
		return err
	}

	defer func() { err = errors.Join(err, c.Store.Close()) }()
	server := mcpserver.New(c)
	defer server.Close()
	err = server.Run(ctx, &mcp.IOTransport{Reader: io.NopCloser(cmd.InOrStdin()), Writer: unclosed{cmd.OutOrStdout()}})
	if errors.Is(err, io.EOF) || errors.Is(err, context.Canceled) {
		err = nil // the client has left, or the user has ended the server
	}

	return err
}

// unclosed keeps the program's own output open.
type unclosed struct{ io.Writer }

func (unclosed) Close() error { return nil }
