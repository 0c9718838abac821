package proofs

import (
	"os"
	"testing"

	"github.com/touchstone-eval/touchstone/internal/testing/program"
)

func TestMain(m *testing.M) {
	code := program.M{M: m}.Run()
	for _, remove := range atExit {
		remove()
	}
	os.Exit(code)
}

// atExit removes what tests share.
var atExit []func()

// Exit codes of touchstone, as its help documents them.
const (
	exitGateFailed  = 1
	exitUsage       = 2
	exitStageFailed = 3
	exitBadDataset  = 4
	exitNoVerdict   = 6
	exitInterrupted = 130
)
