package undertest

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// A new proxy may only have the REST search.
func TestWithoutMCPTheOtherSearchIsNamed(t *testing.T) {
	rest := httptest.NewServer(http.NotFoundHandler())
	defer rest.Close()
	s := &mcpSearcher{newMCPClient(rest.URL+"/mcp", rest.Client(), nil, false)}
	defer s.close()
	_, err := s.search(t.Context(), "a query", 10)
	if err == nil || !strings.Contains(err.Error(), "--var retrieval.search=rest") {
		t.Errorf("the error has no remedy: %v", err)
	}
}
