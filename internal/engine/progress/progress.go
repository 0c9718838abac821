// Package progress shows a run of a pipeline while it runs: on a terminal, as
// lines, or as JSON.
package progress

import (
	"encoding/json"
	"fmt"
	"io"
	"os"

	"github.com/vbauerster/mpb/v8"

	"github.com/touchstone-eval/touchstone/internal/engine"
)

// Display shows a run in progress.
type Display interface {
	Event(engine.Event)
	Close()
}

// Modes are the words of --progress.
var Modes = []string{"auto", "tty", "plain", "json", "quiet"}

// New returns the display of a mode, which writes to w. screen is the terminal
// behind w, or nil. quiet is what auto means for a command that prints JSON.
func New(mode string, quiet bool, w io.Writer, screen *os.File) (Display, error) {
	if mode == "auto" || mode == "" {
		switch {
		case quiet:
			mode = "quiet"
		case screen != nil:
			mode = "tty"
		default:
			mode = "plain"
		}
	}

	switch mode {
	case "tty":
		if screen != nil {
			w = screen // mpb draws on files only; no event holds a secret
		}

		return &terminal{w: w, bars: map[string]*mpb.Bar{}}, nil
	case "plain":
		return &plain{w: w}, nil
	case "json":
		return &Log{To: w}, nil
	case "quiet":
		return none{}, nil
	default:
		return nil, fmt.Errorf("unknown --progress %q: use auto, tty, plain, json or quiet", mode)
	}
}

// none shows nothing.
type none struct{}

func (none) Event(engine.Event) {}
func (none) Close()             {}

// Log writes events as JSON lines, until a write fails with Err.
type Log struct {
	To  io.Writer
	Err error
}

// Event writes an event.
func (l *Log) Event(e engine.Event) {
	if l.Err == nil {
		l.Err = json.NewEncoder(l.To).Encode(e)
	}
}

// Close does nothing: whoever opened To closes it.
func (l *Log) Close() {}
