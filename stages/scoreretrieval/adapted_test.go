package scoreretrieval_test

import (
	"reflect"
	"testing"

	"github.com/touchstone-eval/touchstone/contracts"
	"github.com/touchstone-eval/touchstone/stages/buildproxy"
)

// adapted builds the manifest of a shipped adapter that needs no source.
func adapted(t *testing.T, name string, options map[string]string) (dir string) {
	t.Helper()
	dir = t.TempDir()
	err := buildproxy.Run(t.Context(), buildproxy.Options{
		Out: dir, Identity: "under test", Adapter: "../../adapters/" + name + ".hcl", OptionValues: options,
	})
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// The native contract said in the words of an adapter gives, list for list and
// score for score, what the code for it gives.
func TestNativeContractAsAnAdapter(t *testing.T) {
	for _, path := range []string{contracts.SearchMCP, contracts.SearchREST} {
		opts := small(reference(t))
		opts.Search = path
		want, _ := mustScore(t, opts)
		opts.Proxy = adapted(t, "reference", nil)
		got, _ := mustScore(t, opts)
		if got.ProxyIdentity == want.ProxyIdentity {
			t.Errorf("the adapter is not part of the identity %s", got.ProxyIdentity)
		}
		if !reflect.DeepEqual(got.PerQuery, want.PerQuery) || !reflect.DeepEqual(got.Metrics, want.Metrics) {
			t.Errorf("%s: got\n%+v\nwant\n%+v", path, got.PerQuery, want.PerQuery)
		}
	}
}
