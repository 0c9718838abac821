package snapshotindex_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/touchstone-eval/touchstone/contracts"
	"github.com/touchstone-eval/touchstone/internal/proxy/undertest/badproxy"
	"github.com/touchstone-eval/touchstone/internal/testing/load"
	"github.com/touchstone-eval/touchstone/stages/snapshotindex"
)

func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == badproxy.Argument {
		badproxy.Main(os.Args[2:])
		return
	}
	os.Exit(m.Run())
}

// corpusFile writes a corpus of n tools.
func corpusFile(t *testing.T, n int) string {
	t.Helper()
	c := contracts.Corpus{Version: "numbers-1", GeneratedFrom: contracts.GeneratedFrom{Source: "written for this test"}}
	for i := range n {
		name := fmt.Sprintf("tool_%02d", i)
		c.Tools = append(c.Tools, contracts.Tool{
			ToolID: "numbers:" + name, Server: "numbers", Tool: name, Description: "Number " + name + ".",
			Schema: json.RawMessage(`{"type":"object"}`),
		})
	}
	path := filepath.Join(t.TempDir(), "corpus.json")
	if err := contracts.Write(path, c); err != nil {
		t.Fatal(err)
	}
	return path
}

func run(t *testing.T, mode string, tools int, timeout time.Duration) (contracts.IndexSnapshot, error) {
	t.Helper()
	out := filepath.Join(t.TempDir(), "index.json")
	err := snapshotindex.Run(t.Context(), snapshotindex.Options{
		Proxy: badproxy.Manifest(t, mode), Corpus: corpusFile(t, tools), Out: out, ReadyTimeout: timeout,
	})
	if err != nil {
		if _, stat := os.Stat(out); stat == nil {
			t.Error("a snapshot was written although the stage failed")
		}
		return contracts.IndexSnapshot{}, err
	}
	snapshot, err := contracts.Read[contracts.IndexSnapshot](out)
	if err != nil {
		t.Fatal(err)
	}
	return snapshot, nil
}

func TestSnapshot(t *testing.T) {
	s, err := run(t, badproxy.Right, 3, 0)
	if err != nil {
		t.Fatal(err)
	}
	if s.CorpusVersion != "numbers-1" || s.Proxy != badproxy.Right || s.ProxyIdentity != badproxy.Right || len(s.Tools) != 3 {
		t.Errorf("got %+v", s)
	}
	want := contracts.IndexedTool{
		ToolID: "numbers:tool_00",
		// printf 'Number tool_00.' | sha256sum, printf '{"type":"object"}' | sha256sum
		DescriptionSHA256: "21a8f149edb56f0983653c1b3958df7f6e2f3e2ceae95db0d02942154e5f9301",
		SchemaSHA256:      "a2c799262a3ce3c19ef5cdd983bf3d12b43ab3c426227091b909dcb7054738c0",
	}
	if s.Tools[0] != want {
		t.Errorf("got %+v", s.Tools[0])
	}
}

func TestProxyThatDoesNotHoldTheCorpus(t *testing.T) {
	// The proxy has to say its mode before its time is up.
	soon := load.Stretch(200 * time.Millisecond).Round(time.Millisecond)
	for _, tc := range []struct {
		mode  string
		tools int
		time  time.Duration
		want  []string
	}{
		{badproxy.ListsLess, 3, 0, []string{"1 of 3 tools differ", "numbers:tool_00: missing", "in mode lists-less"}},
		{badproxy.ListsOther, 3, 0, []string{"1 of 3 tools differ", "numbers:tool_00: different description"}},
		{badproxy.ListsNothing, 30, 0, []string{"30 of 30 tools differ", "numbers:tool_19: missing", "and 10 more"}},
		{badproxy.Quarantines, 3, 0, []string{"did not index the whole corpus", "1 of 3", "numbers:tool_00: it is quarantined", "unicode.hidden"}},
		{badproxy.ListGarbage, 3, 0, []string{"list the tools", "/api/v1/tools", "in mode list-garbage"}},
		{badproxy.DiesAtOnce, 3, 0, []string{"ended before it was ready", "database"}},
		{badproxy.NeverReady, 3, soon, []string{"not ready within " + soon.String(), "in mode never-ready"}},
	} {
		t.Run(tc.mode, func(t *testing.T) {
			_, err := run(t, tc.mode, tc.tools, tc.time)
			if err == nil {
				t.Fatal("it passed")
			}
			for _, want := range tc.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("the error lacks %q:\n%v", want, err)
				}
			}
		})
	}
}
