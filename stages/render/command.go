package render

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/google/renameio/v2"
	"github.com/spf13/cobra"

	"github.com/touchstone-eval/touchstone/contracts"
)

// Options are the flags of the stage. Out is a directory.
type Options struct{ Aggregate, Gate, Out string }

// Command is "touchstone stage render".
func Command() *cobra.Command {
	var o Options
	cmd := &cobra.Command{
		Use:   "render --aggregate FILE --gate FILE --out DIR",
		Short: "Write the reports that people and build servers read",
		Long: `Writes report.json (all facts), report.html (one page, no network), report.md
(for a comment or a step summary), junit.xml and annotations.txt (GitHub workflow
commands: print it to show them).`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return Run(cmd.Context(), o) },
	}
	f := cmd.Flags()
	f.StringVar(&o.Aggregate, "aggregate", "", "what aggregate wrote")
	f.StringVar(&o.Gate, "gate", "", "what gate wrote")
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
	r := contracts.Report{Version: contracts.ReportVersion, Gate: gate, Aggregate: aggregate}
	if err := contracts.Write(filepath.Join(o.Out, "report.json"), r); err != nil {
		return err
	}
	html, err := HTML(r)
	if err != nil {
		return err
	}
	junit, err := JUnit(r)
	if err != nil {
		return err
	}
	for name, data := range map[string][]byte{
		"report.html": html, "junit.xml": junit, "report.md": Markdown(r), "annotations.txt": Annotations(r),
	} {
		if err := renameio.WriteFile(filepath.Join(o.Out, name), data, 0o644); err != nil {
			return fmt.Errorf("cannot write %s: %w; check the space and the permissions there", filepath.Join(o.Out, name), err)
		}
	}
	return nil
}
