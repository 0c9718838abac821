package rest

import (
	"database/sql"
	"fmt"
	_ "modernc.org/sqlite"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/touchstone-eval/touchstone/internal/selection"
	"github.com/touchstone-eval/touchstone/internal/selection/advice"
	"github.com/touchstone-eval/touchstone/internal/selection/exchange"
	"github.com/touchstone-eval/touchstone/internal/selection/similarity"
)

func tool(name, description string) map[string]any {
	return map[string]any{"server": "s", "name": name, "description": description}
}

func TestSimilarity(t *testing.T) {
	b := newBench(t).withServer()
	tools := []any{
		tool("find_files", "Find files whose name matches a pattern in a folder"),
		tool("search_files", "Search files whose name matches a pattern in a folder"),
		tool("send_mail", "Send a message to a person"),
	}
	var a struct {
		GeneratedAt time.Time         `json:"generated_at"`
		Method      similarity.Method `json:"method"`
		ToolIDs     []string          `json:"tool_ids"`
		Matrix      [][]float64
		Flagged     []similarity.Pair           `json:"flagged_pairs"`
		Items       []similarity.Recommendation `json:"recommendations"`
		Total       int
		Order       []int
		Dimensions  map[string]float64
	}
	request := map[string]any{"tool_list": tools, "similarity_threshold": 0.5, "include_recommendations": true}
	b.call("POST", analyzePath, request).want(t, 200, &a)
	if a.GeneratedAt.IsZero() || a.Method != similarity.TFIDF || len(a.Matrix) != 3 || len(a.Flagged) != 1 || len(a.Items) != 1 {
		t.Errorf("%+v", a)
	}
	delete(request, "include_recommendations")
	a.Items = nil
	b.call("POST", recommendationsPath, request).want(t, 200, &a)
	if a.Total != 1 || len(a.Items) != 1 {
		t.Fatalf("%+v", a)
	}
	delete(request, "similarity_threshold")
	b.call("POST", matrixPath, request).want(t, 200, &a)
	if len(a.Order) != 3 || a.Dimensions["semantic"] != 0.5 {
		t.Errorf("%+v", a)
	}
	for _, source := range []map[string]any{
		{"server_list": []string{"weather", "weather"}}, {"url_list": []string{b.mcp}},
	} {
		b.call("POST", analyzePath, source).want(t, 200, &a)
		if len(a.ToolIDs) != 2 || !strings.HasSuffix(a.ToolIDs[0], ":get_weather") {
			t.Errorf("%v: %+v", source, a)
		}
	}
	b.call("POST", analyzePath, map[string]any{"server_list": []any{map[string]any{"name": "s", "description": "d", "tools": tools}}}).want(t, 200, &a)
	if len(a.ToolIDs) != 3 || a.ToolIDs[0] != "s:find_files" {
		t.Errorf("%+v", a.ToolIDs)
	}
	for name, bad := range map[string]struct {
		body   map[string]any
		status int
	}{
		"both kinds":   {map[string]any{"server_list": []any{"weather", map[string]any{"name": "s", "tools": tools}}}, 422},
		"no tools":     {map[string]any{"server_list": []any{map[string]any{"name": "s", "tools": []any{}}}}, 422},
		"none":         {map[string]any{}, 422},
		"two":          {map[string]any{"tool_list": tools, "server_list": []string{"weather"}}, 422},
		"one tool":     {map[string]any{"tool_list": tools[:1]}, 422},
		"filtered":     {map[string]any{"tool_list": tools, "tool_names": []string{"send_mail"}}, 422},
		"unknown":      {map[string]any{"server_list": []string{"none"}}, 422},
		"a program":    {map[string]any{"url_list": []string{"stdio:true"}}, 422},
		"unreachable":  {map[string]any{"url_list": []string{b.mcp, "http://127.0.0.1:1/mcp"}}, 502},
		"no encoder":   {map[string]any{"tool_list": tools, "method": "embedding"}, 422},
		"no method":    {map[string]any{"tool_list": tools, "method": "guess"}, 422},
		"no threshold": {map[string]any{"tool_list": tools, "similarity_threshold": 2}, 422},
	} {
		if r := b.call("POST", analyzePath, bad.body); r.status != bad.status {
			t.Errorf("%s: %d %s", name, r.status, r.body)
		}
	}
	var many []any
	for i := range 4 {
		many = append(many, tool(fmt.Sprint("t", i), strings.Repeat("word ", 80_000))) // more than other bodies may hold
	}
	b.call("POST", matrixPath, map[string]any{"tool_list": many}).want(t, 200, nil)
}

func TestQuality(t *testing.T) {
	b := newBench(t).withServer()
	var page listPage[advice.ToolFindings]
	b.call("GET", prefix+"/quality?server=weather", nil).want(t, 200, &page)
	if page.Total != 2 || page.Items[0].Server != "weather" {
		t.Errorf("%+v", page)
	}
	b.call("GET", prefix+"/quality", nil).want(t, 422, nil)
	b.call("GET", prefix+"/quality?server=none", nil).want(t, 422, nil)
}

func TestExportAndImport(t *testing.T) {
	b, other := newBench(t).withServer(), newBench(t)
	b.addCase("first", "smoke")
	b.addCase("second")
	for _, format := range exchange.Formats {
		file := b.call("GET", prefix+"/export?format="+format, nil).want(t, 200, nil)
		if !strings.Contains(string(file.body), "second") || !strings.Contains(file.header.Get("Content-Type"), format) {
			t.Errorf("%s: %v %s", format, file.header, file.body)
		}
		var imported exchange.Imported
		if format != "csv" { // it has no servers
			other.call("POST", importPath+"?format="+format, file.body, "Content-Type: "+file.header.Get("Content-Type")).want(t, 200, &imported)
			if len(imported.CaseIDs) != 2 {
				t.Errorf("%s: %+v", format, imported)
			}
		}
	}
	var page listPage[selection.Case]
	other.call("GET", casesPath, nil).want(t, 200, &page)
	if page.Total != 2 {
		t.Errorf("%+v", page)
	}
	if text := b.call("GET", prefix+"/export?tag=smoke", nil).body; strings.Contains(string(text), "second") {
		t.Errorf("%s", text)
	}
	other.call("POST", importPath, `{"cases":[{"name":""}]}`).want(t, 422, nil)
	other.call("POST", importPath, `{"cases":[{"name":"`+strings.Repeat("a", 2*maxBody)).want(t, 422, nil) // not 413
	other.call("POST", importPath, []byte(sqliteMagic+"and nothing more")).want(t, 422, nil)
}

// The database of another program is told by its first bytes, and refused where it
// is not mcp-tef's.
func TestImportOfAnotherDatabase(t *testing.T) {
	b := newBench(t)
	path := filepath.Join(t.TempDir(), "other.db")
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := db.Exec("CREATE TABLE t (x)"); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	r := b.call("POST", importPath, content, "Content-Type: application/vnd.sqlite3").want(t, 422, nil)
	if strings.Contains(string(r.body), os.TempDir()) {
		t.Errorf("the answer names a file of the service: %s", r.body)
	}
}
