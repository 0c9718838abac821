package scoresecurity

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/touchstone-eval/touchstone/contracts"
	"github.com/touchstone-eval/touchstone/internal/testing/load"
	"github.com/touchstone-eval/touchstone/stages/scoresecurity/detectors"
)

// TestMain lets the test binary act as touchstone's detector, as detectors that misbehave, and as the
// stage itself.
func TestMain(m *testing.M) {
	if len(os.Args) > 2 {
		switch os.Args[1] {
		case "detector":
			exit(detectors.Serve(os.Args[2], os.Stdin, os.Stdout))
		case "fake":
			fake(os.Args[2], os.Args[3:])
			exit(nil)
		case "score":
			cmd := Command()
			cmd.SetArgs(os.Args[2:])
			exit(cmd.ExecuteContext(context.Background()))
		}
	}
	// Each test needs its answers in half a second, so they are not many.
	load.RunAtOnce(2)
	os.Exit(m.Run())
}

func exit(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

// fake is a detector that flags descriptions with the word EVIL. It misbehaves as its mode says, either
// always or for descriptions with the word TRIGGER.
func fake(mode string, args []string) {
	if mode == "sleep" {
		time.Sleep(time.Hour)
	}
	in := bufio.NewReader(os.Stdin)
	for {
		line, err := in.ReadString('\n')
		if err == io.EOF {
			return
		}
		var r contracts.DetectorRequest
		if err := json.Unmarshal([]byte(line), &r); err != nil {
			panic(err)
		}
		flagged := strings.Contains(r.Tool.Description, "EVIL")
		trigger := strings.Contains(r.Tool.Description, "TRIGGER")
		switch {
		case mode == "all":
			flagged = true
		case mode == "none":
			flagged = false
		case mode == "noisy":
			flagged = flagged || strings.Contains(r.Tool.Description, "quotes")
		case mode == "record":
			appendTo(args[0], line)
		case mode == "pid":
			appendTo(args[0], fmt.Sprintln(os.Getpid()))
			time.Sleep(time.Hour)
		case mode == "usage":
			fmt.Fprintln(os.Stderr, "usage: give me \x1b[31ma model\x1b[0m")
			os.Exit(64)
		case !trigger:
		case mode == "crash":
			fmt.Fprintln(os.Stderr, "segmentation fault, or nearly")
			os.Exit(3)
		case mode == "hang":
			// The child keeps the output open, so that killing only the parent
			// does not end it.
			child := exec.Command(os.Args[0], "fake", "sleep")
			child.Stdin, child.Stdout, child.Stderr = os.Stdin, os.Stdout, os.Stderr
			child.Run()
		case mode == "close":
			os.Stdout.Close()
			time.Sleep(time.Hour)
		case mode == "deaf":
			os.Stdin.Close()
			time.Sleep(time.Hour)
		case mode == "endless":
			for {
				os.Stdout.WriteString(strings.Repeat("x", 1<<16))
			}
		case mode == "say":
			fmt.Println(strings.ReplaceAll(args[0], "ID", r.ID))
			continue
		case mode == "twice":
			fmt.Printf(`{"protocol":1,"id":%q,"flagged":true}`+"\n", r.ID)
		}
		fmt.Printf(`{"protocol":1,"id":%q,"flagged":%v}`+"\n", r.ID, flagged)
	}
}

func appendTo(path, text string) {
	f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		panic(err)
	}
	defer f.Close()
	if _, err := f.WriteString(text); err != nil {
		panic(err)
	}
}
