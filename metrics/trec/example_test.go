package trec_test

import (
	"os"
	"strings"

	"github.com/touchstone-eval/touchstone/metrics/trec"
)

// Evaluate prints what trec_eval prints.
func ExampleEvaluate() {
	qrels, err := trec.ReadQrels("qrels.txt", strings.NewReader("q1 0 mail:send 2\nq1 0 mail:read 0\n"))
	if err != nil {
		panic(err)
	}
	measures, err := trec.ParseMeasures([]string{"recip_rank", "recall.1,5"})
	if err != nil {
		panic(err)
	}
	run := strings.NewReader("q1 Q0 mail:read 1 9.5 mine\nq1 Q0 mail:send 2 8.1 mine\n")
	evaluation, err := trec.Evaluate(qrels, "run.txt", run, trec.Options{Level: 1, Measures: measures})
	if err != nil {
		panic(err)
	}
	if err := evaluation.Print(os.Stdout, false); err != nil {
		panic(err)
	}
	// Output:
	// recip_rank            	all	0.5000
	// recall_1              	all	0.0000
	// recall_5              	all	1.0000
}
