package main

import "testing"

func TestParseSize(t *testing.T) {
	for text, want := range map[string]int64{
		"0": 0, "1": 1, "12B": 12, "1.5KiB": 1536, "2 MB": 2_000_000, "3GiB": 3 << 30, "8e9 GiB": 8e9 << 30,
	} {
		if got, err := parseSize(text); err != nil || got != want {
			t.Errorf("%q = %d, %v; want %d", text, got, err, want)
		}
	}
	for _, text := range []string{"", " ", "GiB", "-1", "-0.5KB", "x", "1TiB", "nan", "NaNGiB", "inf", "InfB", "9e9GiB", "1e300GiB", "1e400"} {
		if got, err := parseSize(text); err == nil {
			t.Errorf("%q = %d, want an error", text, got)
		}
	}
}
