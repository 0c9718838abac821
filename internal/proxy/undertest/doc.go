// Package undertest drives a proxy under test as any client would: it starts the
// process with given upstreams, waits until it is ready, reads what it indexed,
// searches, and stops it with all its children.
//
// docs/reference/proxy-contract.md defines the contract that a proxy must implement for this. Other
// contracts can be added in driver.go.
//
// Scoring does not belong in this package: no golden set and no metric. The package
// must not depend on the reference proxy, which is never called in process.
package undertest
