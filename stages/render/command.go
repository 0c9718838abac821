package render

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/touchstone-eval/touchstone/contracts"
	"github.com/touchstone-eval/touchstone/internal/base/arguments"
	"github.com/touchstone-eval/touchstone/internal/base/atomicfile"
)

// Options are the flags of the stage. Out is a directory.
type Options struct{ Aggregate, Gate, Out string }

// Command is "touchstone stage render".
func Command() *cobra.Command {
	var o Options
	cmd := &cobra.Command{
		Use:   "render --aggregate FILE --gate FILE --out DIR",
		Short: "Write the reports that people and build servers read",
		Long: "Writes these files:\n\n" + formatList() + `
annotations.txt holds GitHub workflow commands. Print it in a workflow step to show the annotations.`,
		Args: arguments.None,
		RunE: func(cmd *cobra.Command, _ []string) error { return Run(cmd.Context(), o) },
	}
	f := cmd.Flags()
	f.StringVar(&o.Aggregate, "aggregate", "", "the output of the aggregate stage")
	f.StringVar(&o.Gate, "gate", "", "the output of the gate stage")
	f.StringVar(&o.Out, "out", "", "the directory to write to")
	for _, name := range []string{"aggregate", "gate", "out"} {
		if err := cmd.MarkFlagRequired(name); err != nil {
			panic(err) // the flag is declared above
		}
	}

	return cmd
}

// Run writes all reports.
func Run(ctx context.Context, o Options) error {
	aggregate, err := contracts.Read[contracts.Aggregate](o.Aggregate)
	gate, gateErr := contracts.Read[contracts.Gate](o.Gate)
	if err := errors.Join(err, gateErr); err != nil {
		return err
	}

	if err := ctx.Err(); err != nil {
		return err
	}

	aggregate.Validation.Digests = nil // they serve the next comparison, which reads the baseline
	r := contracts.Report{Version: contracts.ReportVersion, Gate: gate, Aggregate: aggregate}
	written := make([][]byte, len(formats))
	for i, f := range formats {
		if written[i], err = f.write(r); err != nil {
			return err
		}
	}

	if err := os.MkdirAll(o.Out, 0o755); err != nil {
		return fmt.Errorf("cannot write %s: %w; check the space and the permissions there", o.Out, err)
	}

	for i, f := range formats {
		if err := atomicfile.WriteFile(filepath.Join(o.Out, f.file), written[i], 0o644); err != nil {
			return fmt.Errorf("cannot write %s: %w; check the space and the permissions there",
				filepath.Join(o.Out, f.file), err)
		}
	}

	return nil
}
