package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"github.com/touchstone-eval/touchstone/contracts"
	"github.com/touchstone-eval/touchstone/internal/proxy/replay"
)

func newReplayCommand() *cobra.Command {
	var corpus, server string
	cmd := &cobra.Command{
		Use:   "replay --corpus FILE --server NAME",
		Short: "Serve the tools of one server of a corpus over MCP on stdin and stdout",
		Long: `Replaces one MCP server of a corpus: it lists the server's tools with their descriptions
and schemas as in the file, and answers every call with a fixed text. The proxy under test
is started with one such process for each server. If the corpus has more than ten
servers and the proxy accepts addresses, one HTTP server replays all of them instead.

The command ends when its input ends.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return runReplay(corpus, server, cmd.InOrStdin(), cmd.OutOrStdout())
		},
	}
	cmd.Flags().StringVar(&corpus, "corpus", "", "the corpus file")
	cmd.Flags().StringVar(&server, "server", "", "the name of the server")
	for _, name := range []string{"corpus", "server"} {
		if err := cmd.MarkFlagRequired(name); err != nil {
			panic(err) // the flag does not exist: a bug in this program
		}
	}
	return cmd
}

// runReplay decodes the corpus without checking its schema: stages pass a corpus that
// validate-datasets accepted, and checking it again in dozens of processes would cost more
// than serving it.
func runReplay(corpusFile, server string, in io.Reader, out io.Writer) error {
	data, err := os.ReadFile(corpusFile)
	if err != nil {
		return fmt.Errorf("read the corpus: %w", err)
	}
	var corpus contracts.Corpus
	if err := json.Unmarshal(data, &corpus); err != nil {
		return fmt.Errorf("corpus %s: %w: check it with touchstone stage validate-datasets", corpusFile, err)
	}
	s, err := replay.NewServer(corpus, server)
	if err != nil {
		return fmt.Errorf("corpus %s: %w", corpusFile, err)
	}
	return s.Serve(in, out)
}
