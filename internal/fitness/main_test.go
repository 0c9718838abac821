package fitness

import (
	"os"
	"testing"

	"github.com/touchstone-eval/touchstone/internal/testprogram"
)

func TestMain(m *testing.M) { os.Exit(testprogram.M{M: m}.Run()) }
