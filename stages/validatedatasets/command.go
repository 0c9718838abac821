package validatedatasets

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/touchstone-eval/touchstone/internal/base/arguments"
)

// Command returns the command "touchstone stage validate-datasets".
func Command() *cobra.Command {
	var o Options
	var changed string
	cmd := &cobra.Command{
		Use: "validate-datasets --corpus FILE --golden FILE --security FILE [--cases FILE] " +
			"--lock FILE --out-... FILE",
		Short: "Check datasets and report every problem at once",
		Long: `Checks the corpus, the golden set, the security corpus and, where they are given,
the cases: against their schemas, for consistency in each file and between the files, and against the
lock file of frozen versions. Copies accepted files byte for byte to the
outputs. If there is any problem, only the report is written, with every problem, and the
exit code is 4.

A file whose version is frozen with other bytes is refused, or, with
--changed=report, accepted with a warning. Its state in the report is changed.`,
		Args: arguments.None,
		RunE: func(cmd *cobra.Command, _ []string) error {
			switch changed {
			case "refuse", "report":
				o.ReportChanged = changed == "report"
			default:
				return fmt.Errorf("unknown --changed %s; use refuse or report", changed)
			}

			o.Log = cmd.ErrOrStderr()
			return Run(cmd.Context(), o)
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.Corpus, "corpus", "", "the tools that the proxy has to search")
	f.StringVar(&o.Golden, "golden", "", "the labelled queries")
	f.StringVar(&o.Security, "security", "", "the labelled tool definitions")
	f.StringVar(&o.Cases, "cases", "", "the tool-selection cases, if there are any")
	f.StringVar(&o.Lock, "lock", "", "the frozen versions; without it every version is a draft")
	f.StringVar(&changed, "changed", "refuse",
		"what to do with a file whose version is frozen with other bytes: refuse or report")
	f.StringVar(&o.Split, "split", "", "keep only the queries of this split of the golden set: dev or test")
	f.StringVar(&o.OutCorpus, "out-corpus", "", "the file to write the accepted corpus to")
	f.StringVar(&o.OutGolden, "out-golden", "", "the file to write the accepted golden set to")
	f.StringVar(&o.OutSecurity, "out-security", "", "the file to write the accepted security corpus to")
	f.StringVar(&o.OutCases, "out-cases", "",
		"the directory to write the accepted cases to, as cases.json; empty if there are none")
	f.StringVar(&o.OutReport, "out-report", "", "the file to write the report to")
	for _, name := range []string{"corpus", "golden", "security", "out-corpus", "out-golden", "out-security",
		"out-report"} {
		if err := cmd.MarkFlagRequired(name); err != nil {
			panic(err) // the flag is declared above
		}
	}

	return cmd
}
