package decode

// Families lists the encodings that a reading can do without.
func Families() []string {
	var names []string
	for i := range decoders {
		names = append(names, decoders[i].name)
	}
	for _, d := range rawDecoders {
		names = append(names, d.Name)
	}
	return names
}

// Named returns the decoders of an encoding.
func Named(name string) (set Set) {
	for i, family := range Families() {
		if family == name {
			set.add(decoderID(i))
		}
	}
	return set
}
