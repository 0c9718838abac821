//go:build !heldout

package mutation

func heldOut() []Operator { return nil }
