//go:build !containers

package main

import (
	"context"
	"fmt"
	"io"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/touchstone-eval/touchstone/internal/base/arguments"
)

// doctorJSON is the output of doctor --json.
type doctorJSON struct {
	Healthy bool      `json:"healthy"`
	Checks  []finding `json:"checks"`
	// Start is how the proxy would be started, if that was asked for.
	Start *proxyStart `json:"start,omitempty"`
}

// finding is the result of one check. State is ok, warning or failed. Remedy says what to
// do unless State is ok.
type finding struct {
	Part   string `json:"part"`
	State  string `json:"state"`
	Detail string `json:"detail"`
	Remedy string `json:"remedy,omitempty"`
}

const (
	stateOK      = "ok"
	stateWarning = "warning"
	stateFailed  = "failed"
)

func newDoctorCommand(flags *globalFlags) *cobra.Command {
	var proxy, home string
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "Check what the pipeline needs, and suggest how to fix problems",
		Long: `Checks, with the given pipeline and variables: the pipeline itself, the cache, the
programs of its stages, the proxy's adapter, source, build and toolchain, a free port on
loopback, the services that the proxy uses, the recorded answers of models, its secret,
the executor, whether this system limits stages to the files and networks that they
declare and records what they read, the remote cache, and the baseline. It runs no stage of
the pipeline and changes nothing.

With --proxy, it also prints how the proxy would be started: the command, the environment
and the files of its configuration, as its adapter describes them. With --keep-home, it
writes these files into a directory.

The exit code is 0 if the pipeline can run, and 2 otherwise.`,
		Args: arguments.None,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if proxy != "" {
				flags.vars = append(flags.vars, "proxy="+proxy)
			}

			s, err := openSession(cmd.Context(), flags, cmd.ErrOrStderr())
			if err != nil {
				return err
			}

			defer s.close()
			d := &doctor{flags: flags, session: s}
			d.run(cmd.Context())
			facts := doctorJSON{}
			if proxy != "" || home != "" {
				facts.Start = d.start(home)
			}

			facts.Healthy, facts.Checks = true, d.findings
			for _, f := range d.findings {
				facts.Healthy = facts.Healthy && f.State != stateFailed
			}

			if flags.json {
				err = printJSON(cmd.OutOrStdout(), facts)
			} else {
				err = printFindings(cmd.OutOrStdout(), d.findings)
				facts.Start.print(cmd.OutOrStdout())
			}

			if err == nil && !facts.Healthy {
				err = &exitError{code: exitUsage}
			}

			return err
		},
	}
	cmd.Flags().StringVar(&proxy, "proxy", "",
		"check this proxy, like --var proxy=NAME, and print how it would be started")
	cmd.Flags().StringVar(&home, "keep-home", "",
		"write the configuration of the proxy into this directory, which must not exist or be empty")
	return cmd
}

// doctor collects findings.
type doctor struct {
	flags    *globalFlags
	session  *session
	findings []finding
}

func (d *doctor) ok(part, format string, args ...any) {
	d.findings = append(d.findings, finding{Part: part, State: stateOK, Detail: fmt.Sprintf(format, args...)})
}

func (d *doctor) warn(part, detail, remedy string) {
	d.findings = append(d.findings, finding{part, stateWarning, detail, remedy})
}

func (d *doctor) fail(part, detail, remedy string) {
	d.findings = append(d.findings, finding{part, stateFailed, detail, remedy})
}

func (d *doctor) run(ctx context.Context) {
	d.pipeline()
	d.programs()
	d.ports()
	d.executor(ctx)
	d.remoteCache(ctx)
	if p, ok := d.proxyStage(); ok {
		d.proxy(ctx, p)
	}
	d.models()
	d.secrets()
	d.baseline()
}

func printFindings(w io.Writer, findings []finding) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, f := range findings {
		fmt.Fprintf(t, "%s\t%s\t%s\n", f.State, f.Part, f.Detail)
		if f.Remedy != "" {
			fmt.Fprintf(t, "\t\t-> %s\n", f.Remedy)
		}
	}
	return t.Flush()
}
