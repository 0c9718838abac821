package decode

import "slices"

// Families lists the encodings that Without can take away.
func Families() []string {
	var names []string
	for i := range decoders {
		names = append(names, decoders[i].name)
	}
	for _, d := range RawDecoders {
		names = append(names, d.Name)
	}
	return names
}

// Without takes away the decoder of an encoding until restore is called, to measure
// what it is worth. No tool may be scanned during the call.
func Without(name string) (restore func()) {
	was, raw := enabled, RawDecoders
	for i := range decoders {
		if decoders[i].name == name {
			enabled &^= 1 << i
		}
	}
	RawDecoders = slices.DeleteFunc(slices.Clone(raw), func(d RawDecoder) bool { return d.Name == name })
	return func() { enabled, RawDecoders = was, raw }
}
