package cache_test

import (
	"crypto/sha256"
	"fmt"
	"os"
	"time"

	"github.com/touchstone-eval/touchstone/cache"
)

// Store a result under a key, and look it up again.
func Example() {
	dir, err := os.MkdirTemp("", "cache")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	store, err := cache.Open(dir, cache.Options{MaxBytes: 10 << 30})
	if err != nil {
		panic(err)
	}
	defer store.Close()

	// The key is a digest over everything that the result depends on.
	key := cache.Key(sha256.Sum256([]byte("count words of text.txt")))
	if _, miss := store.Lookup(key); miss != nil {
		fmt.Println("miss:", miss.Reason)
	}

	output, err := store.PutBytes([]byte("42\n"))
	if err != nil {
		panic(err)
	}
	err = store.PutRecord(&cache.Record{
		Key: key, Stage: "count", Executor: "local", Attempts: 1, Started: time.Now(),
		Outputs: []cache.RecordOutput{{Name: "sum", Path: "out/sum.txt", Digest: output, Size: 3, Mode: 0o644}},
	})
	if err != nil {
		panic(err)
	}

	record, _ := store.Lookup(key)
	content, err := store.Bytes(record.Outputs[0].Digest)
	fmt.Printf("%s: %q %v\n", record.Outputs[0].Name, content, err)
	// Output:
	// miss: no record
	// sum: "42\n" <nil>
}
