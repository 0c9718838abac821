package page_test

import (
	"os"
	"testing"

	"github.com/touchstone-eval/touchstone/internal/testing/browser"
)

func TestMain(m *testing.M) { os.Exit(browser.M{M: m}.Run()) }
