package refreshcorpus

import (
	"fmt"

	"github.com/spf13/pflag"
)

// FetchFlags are the values of --incomplete and --pin.
type FetchFlags struct {
	incomplete string
	pin        bool
}

// Add declares the flags.
func (f *FetchFlags) Add(flags *pflag.FlagSet) {
	flags.StringVar(&f.incomplete, "incomplete", IncompleteRefuse, "what happens if servers fail or list other tools "+
		"than the frozen ones: refuse, or accept, which leaves their tools out")
	flags.BoolVar(&f.pin, "pin", false, "do not verify the tools; take their digests as the frozen ones")
}

// Set checks the values and copies them into the options.
func (f *FetchFlags) Set(o *FetchOptions) error {
	if f.incomplete != IncompleteRefuse && f.incomplete != IncompleteAccept {
		return &usageError{fmt.Sprintf("--incomplete is %q; write refuse or accept", f.incomplete)}
	}

	if f.pin && f.incomplete == IncompleteAccept {
		return &usageError{"--pin takes the digests of all servers, so that nothing can be incomplete; leave out one " +
			"of --pin and --incomplete=accept"}
	}

	o.Incomplete, o.Pin = f.incomplete, f.pin
	return nil
}

// Args returns the flags as given, for another command line.
func (f *FetchFlags) Args() []string {
	var args []string
	if f.incomplete != IncompleteRefuse {
		args = append(args, "--incomplete="+f.incomplete)
	}
	if f.pin {
		args = append(args, "--pin")
	}
	return args
}

// Default reports whether neither flag is set to something else than its default.
func (f *FetchFlags) Default() bool { return f.incomplete == IncompleteRefuse && !f.pin }

// Pinned reports whether --pin is set.
func (f *FetchFlags) Pinned() bool { return f.pin }
