package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
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
	// Outputs are what a failed instance had written, NotKept why some of it
	// was not kept.
	Outputs []failedOutput `json:"outputs"`
	NotKept []string       `json:"not_kept"`
}

type failedOutput struct {
	Name string `json:"name"`
	Path string `json:"path"`
	Dir  bool   `json:"dir"`
	Size int64  `json:"size"`
}

func newLogsCommand(flags *globalFlags) *cobra.Command {
	var dir string
	var names []string
	cmd := &cobra.Command{
		Use:   "logs STAGE",
		Short: "Print what a stage wrote to its output streams when it last ran, and copy what it wrote before it failed",
		Long: `STAGE is a stage's name, for all its instances, or one instance: 'score-retrieval[run=1]'.

The outputs of a stage that failed are kept with its logs, up to 64 MiB, and are
listed after them. With -o they are copied to a directory, those of a stage with a
matrix below the names of its instances; --output chooses some of them by name.
They are never a result: no other stage reads them. The outputs of a stage that
succeeded are copied by run --only STAGE -o DIR.`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(names) > 0 && dir == "" {
				return errors.New("--output chooses what -o copies; give a directory with -o")
			}
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
			if dir != "" {
				return s.copyFailed(cmd, found, dir, names)
			}
			facts, err := s.logFacts(found)
			if err != nil {
				return err
			}
			if flags.json {
				return printJSON(cmd.OutOrStdout(), facts)
			}
			for i := range facts.Logs {
				facts.Logs[i].print(cmd)
			}
			return nil
		},
	}
	cmd.Flags().StringVarP(&dir, "out", "o", "", "copy the outputs of failed instances to this directory")
	cmd.Flags().StringArrayVar(&names, "output", nil, "copy this output only (repeatable)")
	return cmd
}

// logFacts reads the logs out of the store.
func (s *session) logFacts(found []engine.Log) (logsJSON, error) {
	facts := logsJSON{Logs: []logJSON{}}
	for _, l := range found {
		entry := logJSON{Stage: l.Stage, Instance: l.Instance, Status: string(l.State), Started: l.Started,
			Outputs: []failedOutput{}, NotKept: append([]string{}, l.Failed.NotKept...)}
		stdout, err := s.store.Bytes(l.Stdout)
		if err != nil {
			return facts, fmt.Errorf("the log of %s is no longer in the store: %w", l.Stage, err)
		}
		stderr, err := s.store.Bytes(l.Stderr)
		if err != nil {
			return facts, fmt.Errorf("the log of %s is no longer in the store: %w", l.Stage, err)
		}
		entry.Stdout, entry.Stderr = string(stdout), string(stderr)
		for _, out := range l.Failed.Outputs {
			entry.Outputs = append(entry.Outputs, failedOutput{out.Name, out.Path, out.Dir, out.Size})
		}
		facts.Logs = append(facts.Logs, entry)
	}
	return facts, nil
}

func (l *logJSON) print(cmd *cobra.Command) {
	stderr := cmd.ErrOrStderr()
	name := instanceName(l.Stage, l.Instance)
	fmt.Fprintf(stderr, "== %s, %s, %s\n", name, l.Status, l.Started.Format(time.DateTime))
	fmt.Fprint(cmd.OutOrStdout(), l.Stdout)
	fmt.Fprint(stderr, l.Stderr)
	for _, out := range l.Outputs {
		fmt.Fprintf(stderr, "== kept of %s: output %s, %s, %d bytes; copy it with -o DIR\n", name, out.Name, out.Path, out.Size)
	}
	for _, why := range l.NotKept {
		fmt.Fprintf(stderr, "== %s: %s\n", name, why)
	}
}

func instanceName(stage, instance string) string {
	if instance == "" {
		return stage
	}
	return stage + "[" + instance + "]"
}

// copyFailed copies the outputs of failed instances to a directory.
func (s *session) copyFailed(cmd *cobra.Command, found []engine.Log, dir string, names []string) error {
	copied := 0
	var there []string
	for _, l := range found {
		for _, out := range l.Failed.Outputs {
			if there = append(there, out.Name); len(names) > 0 && !slices.Contains(names, out.Name) {
				continue
			}
			to := filepath.Join(dir, l.Instance, filepath.FromSlash(strings.TrimPrefix(out.Path, "out/")))
			if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
				return err
			}
			if err := s.engine.CopyOutput(out, to); err != nil {
				return err
			}
			fmt.Fprintln(cmd.OutOrStdout(), to)
			copied++
		}
	}
	switch {
	case copied > 0:
		return nil
	case len(there) > 0:
		slices.Sort(there)
		return fmt.Errorf("no output that was kept is called %s; there is %s", strings.Join(names, " or "), strings.Join(slices.Compact(there), ", "))
	case !slices.ContainsFunc(found, func(l engine.Log) bool { return l.State == engine.Failed }):
		return fmt.Errorf("%s did not fail when it last ran; %s run --only %s -o DIR copies its outputs", found[0].Stage, toolName, found[0].Stage)
	}
	return fmt.Errorf("%s failed before it wrote an output that could be kept; %s logs %s says why", found[0].Stage, toolName, found[0].Stage)
}

// failedNames lists what is kept of a failed instance.
func failedNames(f engine.FailedOutputs) string {
	names := make([]string, len(f.Outputs))
	for i, out := range f.Outputs {
		names[i] = out.Name
	}
	return strings.Join(names, ", ")
}
