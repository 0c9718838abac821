package sandbox

import "testing"

// The cost of each restriction, for stages that do nothing.
func BenchmarkTrivialStage(b *testing.B) {
	for _, bc := range []struct {
		name  string
		lacks map[string]bool
	}{
		{"landlock and network", map[string]bool{enforcedProcesses: true, enforcedIPC: true, enforcedMetadata: true, enforcedUnix: true}},
		{"and system calls", map[string]bool{enforcedProcesses: true, enforcedIPC: true, enforcedMetadata: true}},
		{"and processes", map[string]bool{enforcedIPC: true, enforcedMetadata: true}},
		{"and ipc", map[string]bool{enforcedMetadata: true}},
		{"everything", nil},
	} {
		b.Run(bc.name, func(b *testing.B) {
			s := New()
			defer s.Close()
			s.lacks = bc.lacks
			stage(b, s, script(":"))
			b.ResetTimer()
			for b.Loop() {
				stage(b, s, script(":"))
			}
		})
	}
	b.Run("nothing", func(b *testing.B) {
		for b.Loop() {
			stage(b, Disabled(), script(":"))
		}
	})
}
