package main

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/touchstone-eval/touchstone/cache"
	"github.com/touchstone-eval/touchstone/internal/base/arguments"
	"github.com/touchstone-eval/touchstone/internal/base/safetext"
	"github.com/touchstone-eval/touchstone/internal/engine"
	"github.com/touchstone-eval/touchstone/internal/scan/input"
)

// logsJSON is the output of logs --json.
type logsJSON struct {
	Logs []logJSON `json:"logs"`
}

type logJSON struct {
	Stage    string    `json:"stage"`
	Instance string    `json:"instance"`
	Status   string    `json:"status"`
	Started  time.Time `json:"started"`
	// Interrupted reports whether the run was interrupted while the stage ran.
	Interrupted bool `json:"interrupted"`
	// KilledRun is when a later run started the instance that was killed and has no log.
	KilledRun time.Time `json:"killed_run,omitzero"`
	// NotStarted is why a later run could not start the instance.
	NotStarted string `json:"not_started,omitempty"`
	// Error says in a few words why the instance failed.
	Error string `json:"error,omitempty"`
	// Origin says where the result comes from, unless this machine made it.
	Origin string `json:"origin,omitempty"`
	Stdout string `json:"stdout"`
	Stderr string `json:"stderr"`
	// Outputs are the outputs of a failed instance. NotKept holds the reasons why
	// some of them were not kept.
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
		Short: "Print the logs of a stage's last execution, and copy the outputs of a failed stage",
		Long: `STAGE is a stage's name, for all its instances, or one instance: 'score-retrieval[run=1]'.

The logs are the standard output and standard error of the stage when it last ran here. If
it never did, or if its result has come from another machine since then, they are those of
the run that made the result. The log of an interrupted run is marked. If the stage failed,
its outputs are kept with the logs, up to 64 MiB, and listed after them. -o copies them
to a directory. If the stage has a matrix, each instance gets a subdirectory with its
name. --name selects outputs by name. No other stage reads the outputs of a failed
stage. To copy the outputs of a stage that succeeded, use run --only STAGE -o DIR.`,
		Args: arguments.Exactly(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(names) > 0 && dir == "" {
				return errors.New("--name selects what -o copies; also give a directory with -o")
			}

			s, err := openSession(cmd.Context(), flags, cmd.ErrOrStderr())
			if err != nil {
				return err
			}

			defer s.close()
			found, err := s.engine.Logs(cmd.Context(), s.plan, args[0])
			if err != nil {
				// The current pipeline may lack a stage that it had when the stage ran,
				// so the name is only checked if there are no logs.
				if _, unknown := engine.Find(s.plan, args[0]); unknown != nil {
					err = unknown
				}

				return err
			}

			if dir != "" {
				return s.copyFailed(cmd, args[0], found, dir, names)
			}

			facts := logsJSON{Logs: []logJSON{}}
			for i := range found {
				entry := logEntry(&found[i])
				if !flags.json {
					if err := s.printLog(cmd, &entry, &found[i]); err != nil {
						return err
					}

					continue
				}

				var stdout, stderr strings.Builder
				if err := s.copyLog(&found[i], &stdout, &stderr); err != nil {
					return err
				}

				entry.Stdout, entry.Stderr = stdout.String(), stderr.String()
				facts.Logs = append(facts.Logs, entry)
			}

			if flags.json {
				return printJSON(cmd.OutOrStdout(), facts)
			}

			return nil
		},
	}
	outputVar(cmd.Flags(), &dir, "directory", "copy the outputs of failed instances to this directory")
	cmd.Flags().StringArrayVar(&names, "name", nil, "copy only the output with this name (repeatable)")
	return cmd
}

// logEntry describes a log, without its text.
func logEntry(l *engine.Log) logJSON {
	entry := logJSON{
		Stage: l.Stage, Instance: l.Instance, Status: string(l.State), Started: l.Started,
		Interrupted: l.State == engine.Canceled, Error: l.Error, KilledRun: l.Killed, NotStarted: l.NotStarted,
		Outputs: []failedOutput{}, NotKept: append([]string{}, l.Failed.NotKept...),
	}
	if l.Origin != nil {
		entry.Origin = l.Origin.String()
	}

	for _, out := range l.Failed.Outputs {
		entry.Outputs = append(entry.Outputs, failedOutput{out.Name, out.Path, out.Dir, out.Size})
	}

	return entry
}

// copyLog writes a log to two writers. It holds only a part of it in memory.
func (s *session) copyLog(l *engine.Log, stdout, stderr io.Writer) error {
	err := s.copyStream(l.Stdout, stdout)
	if err == nil {
		err = s.copyStream(l.Stderr, stderr)
	}

	switch {
	case err == nil || !cache.Damaged(err):
		return err
	case l.Origin != nil && l.Origin.Way == cache.Fetched:
		return fmt.Errorf("the log of %s is at %s, which does not give it; to make it here, run the stage with --force",
			l.Stage, l.Origin.From)
	}

	return fmt.Errorf("the log of %s is no longer in the store: %w", l.Stage, err)
}

// copyStream writes a stored stream without the secrets of the current pipeline.
func (s *session) copyStream(stream cache.Digest, to io.Writer) error {
	in := s.store.Open(stream)
	defer in.Close()
	return hidden.Copy(to, in)
}

// printLog prints a log, which may be larger than the memory.
func (s *session) printLog(cmd *cobra.Command, entry *logJSON, l *engine.Log) error {
	stderr := cmd.ErrOrStderr()
	name := instanceName(l.Stage, l.Instance)
	from := ""
	if entry.Interrupted {
		from = "; the run was interrupted"
	}

	if entry.Error != "" {
		from = "; " + safetext.Visible(entry.Error)
	}

	if entry.Origin != "" {
		from = "; " + entry.Origin
	}

	fmt.Fprintf(stderr, "== %s, %s, %s%s\n", name, l.State, l.Started.Format(time.DateTime), from)
	if at := entry.KilledRun; !at.IsZero() {
		fmt.Fprintf(stderr, "== %s: a later run, which started it at %s, was killed and has no log\n", name,
			at.Format(time.DateTime))
	}

	if why := entry.NotStarted; why != "" {
		fmt.Fprintf(stderr, "== %s: a later run could not start it: %s\n", name, safetext.Visible(why))
	}

	if err := s.copyLog(l, cmd.OutOrStdout(), stderr); err != nil {
		return err
	}

	for _, out := range entry.Outputs {
		fmt.Fprintf(stderr, "== %s: kept output %s, %s, %d bytes; copy it with -o DIR\n", name, out.Name, out.Path,
			out.Size)
	}

	for _, why := range entry.NotKept {
		fmt.Fprintf(stderr, "== %s: %s\n", name, why)
	}

	return nil
}

func instanceName(stage, instance string) string {
	if instance == "" {
		return stage
	}
	return stage + "[" + instance + "]"
}

// copyFailed copies the outputs of failed instances to a directory. selected is the stage or
// instance that the user named.
func (s *session) copyFailed(cmd *cobra.Command, selected string, found []engine.Log, dir string,
	names []string) error {
	var copies []engine.Copy
	var there []string
	for _, l := range found {
		wanted := slices.Clone(l.Failed.Outputs)
		for _, out := range wanted {
			there = append(there, out.Name)
		}

		if len(names) > 0 {
			wanted = slices.DeleteFunc(wanted,
				func(out cache.RecordOutput) bool { return !slices.Contains(names, out.Name) })
		}

		copies = append(copies, copiesOf(l.Instance, wanted)...)
	}

	if len(copies) > 0 {
		if err := s.engine.CopyOutputs(copies, dir); err != nil {
			return err
		}

		for _, c := range copies {
			fmt.Fprintln(cmd.OutOrStdout(), filepath.Join(dir, filepath.FromSlash(c.Path)))
		}

		return nil
	}

	name := input.QuoteWord(selected)
	switch {
	case len(there) > 0:
		slices.Sort(there)
		return fmt.Errorf("no kept output has the name %s; kept outputs: %s", strings.Join(names, " or "),
			strings.Join(slices.Compact(there), ", "))
	case !slices.ContainsFunc(found, func(l engine.Log) bool { return l.State == engine.Failed }):
		return fmt.Errorf("%s did not fail when it last ran; copy its outputs with %s run --only %s -o DIR", selected,
			toolName, name)
	}

	return fmt.Errorf("%s failed before it wrote an output that could be kept; see the reason with %s logs %s",
		selected, toolName, name)
}

// failedNames lists the names of the kept outputs of a failed instance.
func failedNames(f engine.FailedOutputs) string {
	names := make([]string, len(f.Outputs))
	for i, out := range f.Outputs {
		names[i] = out.Name
	}
	return strings.Join(names, ", ")
}
