package validatedatasets

import (
	"github.com/spf13/cobra"
)

// Command is "touchstone stage validate-datasets".
func Command() *cobra.Command {
	var o Options
	cmd := &cobra.Command{
		Use:   "validate-datasets --corpus FILE --golden FILE --security FILE --lock FILE --out-... FILE",
		Short: "Refuse data that cannot be scored, with every reason at once",
		Long: `Checks the corpus, the golden set and the security corpus, each by its schema,
by itself and against the others, and against the lock file of frozen versions.
Accepted files are copied byte for byte to the outputs; with any problem nothing
is written and the exit code is 4.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			o.Log = cmd.ErrOrStderr()
			return Run(cmd.Context(), o)
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.Corpus, "corpus", "", "the tools that the proxy has to search")
	f.StringVar(&o.Golden, "golden", "", "the labelled queries")
	f.StringVar(&o.Security, "security", "", "the labelled tool definitions")
	f.StringVar(&o.Lock, "lock", "", "the frozen versions; without it everything is a draft")
	f.StringVar(&o.OutCorpus, "out-corpus", "", "where the accepted corpus goes")
	f.StringVar(&o.OutGolden, "out-golden", "", "where the accepted golden set goes")
	f.StringVar(&o.OutSecurity, "out-security", "", "where the accepted security corpus goes")
	f.StringVar(&o.OutReport, "out-report", "", "where the report goes")
	for _, name := range []string{"corpus", "golden", "security", "out-corpus", "out-golden", "out-security", "out-report"} {
		if err := cmd.MarkFlagRequired(name); err != nil {
			panic(err) // the flag is declared above
		}
	}
	return cmd
}
