package tool

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/touchstone-eval/touchstone/scanner/internal/char"
)

// TestContrasting compares the few tools that are kept with all of them.
func TestContrasting(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for range 2000 {
		var tools []*Definition
		for range 6 + r.IntN(6) {
			tools = append(tools, &Definition{Server: string('a' + rune(r.IntN(3))), Name: string('x' + rune(r.IntN(3)))})
		}
		few := contrasting(tools)
		if len(few) > 5 {
			t.Fatalf("%d are kept", len(few))
		}
		for _, server := range []string{"a", "B", "c", "d"} {
			for _, name := range []string{"x", "y", "z", "other"} {
				contrasts := func(d *Definition) bool { return !SameServer(d.Server, server) && d.Name != name }
				if slices.ContainsFunc(few, contrasts) != slices.ContainsFunc(tools, contrasts) {
					t.Fatalf("for %s:%s of %v: %v", server, name, tools, few)
				}
			}
		}
	}
}

// TestCrowd hides one original among very many tools whose names have the same
// skeleton.
func TestCrowd(t *testing.T) {
	const text = "Sends an email to a customer with the invoice of the month and a short note."
	tools := []*Definition{{Server: "mail", Name: "Send-Email", Description: text}}
	for i := range 2000 {
		tools = append(tools, &Definition{Server: "zz", Name: "send_email", Description: fmt.Sprintf("Returns part %d of %d things.", i, i*7)})
	}
	r := NewRegistry(tools, nil)
	sk := char.Skeleton("send_email")
	if sk != char.Skeleton("Send-Email") {
		t.Fatal("the skeletons differ")
	}
	similar := r.Similar(sk, text+" Really.")
	if !slices.Contains(similar, tools[0]) {
		t.Error("the original is not compared")
	}
	if len(similar) > 16*5 || len(r.WithSkeleton(sk)) > 5 {
		t.Errorf("%d and %d tools are compared", len(similar), len(r.WithSkeleton(sk)))
	}
	if !slices.Contains(r.WithSkeleton(sk), tools[0]) {
		t.Error("the only tool of another server is left out")
	}
}

func TestOfServer(t *testing.T) {
	r := NewRegistry([]*Definition{{Server: "Mail", Name: "send"}, {Server: "b", Name: "send"}}, nil)
	for server, want := range map[string]bool{"mail": true, "MAIL": true, "b": true, "c": false, "": false} {
		if got := r.OfServer(server, "send") != nil; got != want {
			t.Errorf("%q: %t", server, got)
		}
	}
}
