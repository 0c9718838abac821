package main

import (
	"encoding/json"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/touchstone-eval/touchstone/contracts"
	"github.com/touchstone-eval/touchstone/internal/base/arguments"
	"github.com/touchstone-eval/touchstone/internal/proxy/replay"
)

func newReplayCommand() *cobra.Command {
	var corpus, server, journal string
	pageSize := replay.DefaultPageSize
	cmd := &cobra.Command{
		Use:   "replay --corpus FILE --server NAME",
		Short: "Serve the tools of one server of a corpus over MCP on stdin and stdout",
		Long: `Replaces one MCP server of a corpus: it lists the server's tools with their descriptions
and schemas as in the file, and answers every call with a fixed text. The proxy under test
is started with one such process for each server. If the corpus has more than ten servers,
one HTTP server replays all of them to a proxy of the proxy contract instead. A proxy that an
adapter describes can use either.

The command ends when its input ends.`,
		Args: arguments.None,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if pageSize < 1 {
				return fmt.Errorf("--page-size %d is out of range: give the number of tools in one answer, at least 1",
					pageSize)
			}

			s, err := openReplay(corpus, server, pageSize)
			if err != nil {
				return err
			}

			if journal != "" {
				s.KeepJournal(journal)
			}

			return s.Serve(cmd.InOrStdin(), cmd.OutOrStdout())
		},
	}
	cmd.Flags().StringVar(&corpus, "corpus", "", "the corpus file")
	cmd.Flags().StringVar(&server, "server", "", "the name of the server")
	cmd.Flags().IntVar(&pageSize, "page-size", pageSize, "the maximum number of tools in one answer to tools/list")
	cmd.Flags().StringVar(&journal, "journal", "",
		"a file to which a line is appended for each answer to tools/list: the number of tools listed so far")
	for _, name := range []string{"corpus", "server"} {
		if err := cmd.MarkFlagRequired(name); err != nil {
			panic(err) // the flag does not exist: a bug in this program
		}
	}

	return cmd
}

// openReplay decodes the corpus. It checks the schema only if the corpus lacks the server: stages
// pass a corpus that validate-datasets accepted, and checking it again in dozens of processes would
// cost more than serving it.
func openReplay(corpusFile, server string, pageSize int) (*replay.Server, error) {
	data, err := contracts.ReadBytes(corpusFile)
	if err != nil {
		return nil, fmt.Errorf("read the corpus: %w", err)
	}

	var corpus contracts.Corpus
	if err := json.Unmarshal(data, &corpus); err != nil {
		return nil, notACorpus(corpusFile, data, err)
	}

	s, err := replay.NewServer(corpus, server, pageSize)
	if err != nil {
		return nil, notACorpus(corpusFile, data, err)
	}

	return s, nil
}

// notACorpus returns the first problems of a file that is no corpus, and for a corpus err.
func notACorpus(file string, data []byte, err error) error {
	if _, problems := contracts.Decode[contracts.Corpus](file, data); problems != nil {
		return problems
	}
	return fmt.Errorf("corpus %s: %w", file, err)
}
