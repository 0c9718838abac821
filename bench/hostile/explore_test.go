package hostile

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/touchstone-eval/touchstone/internal/toollist"
	"github.com/touchstone-eval/touchstone/scanner"
)

func cpu() time.Duration {
	var u syscall.Rusage
	syscall.Getrusage(0, &u)
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

func TestExplore(t *testing.T) {
	only := os.Getenv("SHAPE")
	for _, name := range slices.Sorted(maps.Keys(Tools)) {
		if only != "" && name != only {
			continue
		}
		for _, mode := range strings.Split(os.Getenv("MODES"), ",") {
			line := fmt.Sprintf("%-28s %-8s", name, mode)
			for _, kb := range sizes() {
				in := Tools[name](kb << 10)
				start := cpu()
				s, _ := scanner.New()
				switch mode {
				case "baseline":
					old := slices.Clone(in)
					for i := range old {
						old[i].Description += "."
					}
					s, _ = scanner.New(scanner.WithBaseline(old))
				}
				r := s.Scan(in)
				d := cpu() - start
				line += fmt.Sprintf(" %8.0f", float64(d.Microseconds())/1000)
				if r.Coverage.ChecksFailed > 0 {
					line += fmt.Sprint(" FAILED", r.Coverage.FailedCheckIDs)
				}
				if d > 8*time.Second {
					break
				}
			}
			fmt.Println(line)
		}
	}
}

func sizes() []int {
	if os.Getenv("SHAPE") != "" {
		return []int{256, 512, 1024}
	}
	return []int{512, 1024, 2048, 4096}
}

func TestExploreDocs(t *testing.T) {
	only := os.Getenv("SHAPE")
	for _, name := range slices.Sorted(maps.Keys(Documents)) {
		if only != "" && name != only {
			continue
		}
		line := fmt.Sprintf("%-28s", name)
		for _, kb := range []int{512, 1024, 2048, 4096} {
			in := []byte(Documents[name](kb << 10))
			start := cpu()
			_, err := toollist.Read("f", "s", in)
			d := cpu() - start
			line += fmt.Sprintf(" %8.0f", float64(d.Microseconds())/1000)
			if kb == 4096 || d > 5*time.Second {
				line += fmt.Sprintf(" %.80v", err)
			}
			if d > 5*time.Second {
				break
			}
		}
		fmt.Println(line)
	}
}
