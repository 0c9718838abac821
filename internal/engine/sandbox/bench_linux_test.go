package sandbox

import (
	"fmt"
	"os/exec"
	"testing"
)

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

// The cost of recording what a stage reads, for stages of about .2 s that read many files.
func BenchmarkRecordedStage(b *testing.B) {
	for _, bc := range []struct{ name, program, script string }{
		{"nothing", "sh", ":"},
		{"programs", "sh", "for i in $(seq 150); do cat in/x; done"},
		{"python", "python3", "python3 -c 'import asyncio, email, http.client, json, ssl, unittest, xml.dom.minidom; sum(range(3000000))'"},
		{"working python", "python3", "python3 -c 'import asyncio, email, http.client, json, ssl, unittest, xml.dom.minidom; sum(range(32000000))'"},
		{"c++", "g++", "echo '#include <iostream>' | g++ -x c++ -O2 -c - -o out/x.o"},
	} {
		if _, err := exec.LookPath(bc.program); err != nil {
			continue
		}
		for _, record := range []bool{false, true} {
			b.Run(fmt.Sprintf("%s/record=%t", bc.name, record), func(b *testing.B) {
				s := New()
				defer s.Close()
				for b.Loop() {
					job := script(bc.script)
					job.Record = record
					stage(b, s, job)
				}
			})
		}
	}
}
