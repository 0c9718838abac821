package refreshcorpus

import "github.com/spf13/pflag"

// FetchFlags are the values of --allow-missing and --pin.
type FetchFlags struct{ allowMissing, pin bool }

// Add declares the flags.
func (f *FetchFlags) Add(flags *pflag.FlagSet) {
	flags.BoolVar(&f.allowMissing, "allow-missing", false, "leave out servers that fail, and tools that are not the "+
		"frozen ones")
	flags.BoolVar(&f.pin, "pin", false, "do not verify the tools; take their digests as the frozen ones")
}

// Set checks the values and copies them into the options.
func (f *FetchFlags) Set(o *FetchOptions) error {
	if f.pin && f.allowMissing {
		return &usageError{"--pin takes the digests of all servers, so that nothing can be missing; leave out one " +
			"of --pin and --allow-missing"}
	}

	o.AllowMissing, o.Pin = f.allowMissing, f.pin
	return nil
}

// Args returns the flags as given, for another command line.
func (f *FetchFlags) Args() []string {
	var args []string
	if f.allowMissing {
		args = append(args, "--allow-missing")
	}
	if f.pin {
		args = append(args, "--pin")
	}
	return args
}

// Default reports whether neither flag is set.
func (f *FetchFlags) Default() bool { return *f == FetchFlags{} }

// Pinned reports whether --pin is set.
func (f *FetchFlags) Pinned() bool { return f.pin }
