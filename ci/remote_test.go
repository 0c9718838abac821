package main

import (
	"os"
	"slices"
	"strings"
	"testing"

	"dagger/touchstone/internal/dagger"
)

// The command line gets the address and the mode as they are given, and the secrets by reference.
func TestRemoteVariables(t *testing.T) {
	if list := remoteVariables("", "", nil, nil); len(list) != 0 {
		t.Errorf("%+v, want the pipeline's settings", list)
	}
	authorization, key := &dagger.Secret{}, &dagger.Secret{}
	list := remoteVariables("grpcs://results.example.com", "read-write", authorization, key)
	want := []Variable{
		{Name: "TOUCHSTONE_REMOTE_CACHE", Value: "grpcs://results.example.com"},
		{Name: "TOUCHSTONE_REMOTE_MODE", Value: "read-write"},
		{Name: "TOUCHSTONE_REMOTE_HEADER", Value: "authorization=env:TOUCHSTONE_MODULE_AUTHORIZATION"},
		{Name: "TOUCHSTONE_MODULE_AUTHORIZATION", Secret: authorization},
		{Name: "TOUCHSTONE_REMOTE_SIGN", Value: "env:TOUCHSTONE_MODULE_SIGN"},
		{Name: "TOUCHSTONE_MODULE_SIGN", Secret: key},
	}
	if !slices.Equal(list, want) {
		t.Errorf("%+v, want %+v", list, want)
	}
	source, err := os.ReadFile("../cmd/touchstone/remote_cache.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range want {
		if strings.HasPrefix(v.Name, "TOUCHSTONE_REMOTE_") && !strings.Contains(string(source), `"`+v.Name+`"`) {
			t.Errorf("the command line has no variable %s", v.Name)
		}
	}
}
