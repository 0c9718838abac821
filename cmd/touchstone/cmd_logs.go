package main

import (
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/touchstone-eval/touchstone/internal/engine"
)

// logsJSON is the shape of logs --json.
type logsJSON struct {
	Logs []logJSON `json:"logs"`
}

type logJSON struct {
	Stage    string    `json:"stage"`
	Instance string    `json:"instance"`
	Status   string    `json:"status"`
	Started  time.Time `json:"started"`
	Stdout   string    `json:"stdout"`
	Stderr   string    `json:"stderr"`
}

func newLogsCommand(flags *globalFlags) *cobra.Command {
	return &cobra.Command{
		Use:   "logs STAGE",
		Short: "Print what a stage wrote to its output streams when it last ran, failed or not",
		Long:  "STAGE is a stage's name, for all its instances, or one instance: 'score-retrieval[run=1]'.",
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			s, err := openSession(flags, cmd.ErrOrStderr())
			if err != nil {
				return err
			}
			defer s.close()
			found, err := s.engine.Logs(args[0])
			if err != nil {
				// A name that is not in the pipeline as it stands may have been
				// in it when it ran, so it is looked at only now.
				if _, unknown := engine.Find(s.plan, args[0]); unknown != nil {
					err = unknown
				}
				return err
			}
			facts := logsJSON{Logs: []logJSON{}}
			for _, l := range found {
				entry := logJSON{Stage: l.Stage, Instance: l.Instance, Status: string(l.State), Started: l.Started}
				for _, stream := range []struct {
					to *string
					b  func() ([]byte, error)
				}{
					{&entry.Stdout, func() ([]byte, error) { return s.store.Bytes(l.Stdout) }},
					{&entry.Stderr, func() ([]byte, error) { return s.store.Bytes(l.Stderr) }},
				} {
					b, err := stream.b()
					if err != nil {
						return fmt.Errorf("the log of %s is no longer in the store: %w", l.Stage, err)
					}
					*stream.to = string(b)
				}
				facts.Logs = append(facts.Logs, entry)
			}
			if flags.json {
				return printJSON(cmd.OutOrStdout(), facts)
			}
			for _, l := range facts.Logs {
				name := l.Stage
				if l.Instance != "" {
					name += "[" + l.Instance + "]"
				}
				fmt.Fprintf(cmd.ErrOrStderr(), "== %s, %s, %s\n", name, l.Status, l.Started.Format(time.DateTime))
				fmt.Fprint(cmd.OutOrStdout(), l.Stdout)
				fmt.Fprint(cmd.ErrOrStderr(), l.Stderr)
			}
			return nil
		},
	}
}
