package main

import (
	"errors"
	"os"
	"testing"
	"time"

	"github.com/touchstone-eval/touchstone/internal/testing/program"
)

func TestMain(m *testing.M) { os.Exit(program.M{M: m}.Run()) }

// Every trial that does not wait for a timeout, in small.
func TestTrials(t *testing.T) {
	for _, trial := range trials {
		switch trial.name {
		case "locked", "servers", "faults": // they wait for timeouts
			continue
		}
		t.Run(trial.name, func(t *testing.T) {
			b := &bench{
				tool: program.Path(t, program.Touchstone), dir: t.TempDir(), out: t.Output(),
				size: sizes{
					stored: 300, readers: 4, requests: 2, concurrent: 20, killed: 20,
					listBytes: 1 << 20, listTools: 100, patience: time.Minute,
				},
			}
			switch err := trial.run(b); {
			case errors.Is(err, errSkipped):
				t.Skip(err)
			case err != nil:
				t.Error(err)
			}
		})
	}
}
