// Package undertest drives a proxy under test from outside, as any client
// would: it starts the process over given upstreams, waits until it is ready,
// reads back what it indexed, searches, and stops it with everything that it
// started.
//
// What a proxy has to offer for this is the contract of
// docs/own-proxy.md; dialect.go is where another contract would be added.
//
// Nothing of the scoring may come in: no golden set, no metric. And nothing
// here may depend on the proxy being ours: it is never called in process.
package undertest
