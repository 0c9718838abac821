package fitness

import (
	"os"
	"testing"

	"github.com/touchstone-eval/touchstone/internal/testing/program"
)

func TestMain(m *testing.M) { os.Exit(program.M{M: m}.Run()) }
