package label

import (
	"os"
	"testing"

	"github.com/touchstone-eval/touchstone/internal/testbrowser"
)

func TestMain(m *testing.M) { os.Exit(testbrowser.M{M: m}.Run()) }
