package scanner

import (
	"encoding/json"
	"fmt"
	"os"
	"testing"
)

func externalTools(tb testing.TB) []Tool {
	raw, err := os.ReadFile("../../shared/external/livemcptool.tools.json")
	if err != nil {
		tb.Skip("../shared/external is not beside the checkout:", err)
	}
	var file struct {
		Tools []struct {
			Server, Tool, Description string
			InputSchema               json.RawMessage
		}
	}
	if err := json.Unmarshal(raw, &file); err != nil {
		tb.Fatal(err)
	}
	var tools []Tool
	for _, t := range file.Tools {
		tools = append(tools, Tool{Server: t.Server, Name: t.Tool, Description: t.Description, InputSchema: t.InputSchema})
	}
	return tools
}

func TestExternal(t *testing.T) {
	tools := externalTools(t)
	s, err := New()
	if err != nil {
		t.Fatal(err)
	}
	r := s.Scan(tools)
	for _, f := range r.Findings {
		fmt.Println(f.Server, f.Tool, f.Severity, f.Confidence)
		for _, sig := range f.Signals {
			fmt.Println("    ", sig.CheckID, sig.Tier, sig.Confidence, sig.Detail, "|", sig.Evidence)
		}
	}
	fmt.Println(r.Coverage, r.RiskScore, len(r.Findings))
}

func BenchmarkExternal(b *testing.B) {
	tools := externalTools(b)
	s, _ := New()
	reg := s.Registry(tools)
	b.ReportAllocs()
	for b.Loop() {
		for i := range tools {
			s.ScanOne(tools[i], reg)
		}
	}
	b.ReportMetric(float64(b.N*len(tools))/b.Elapsed().Seconds(), "tools/s")
}
