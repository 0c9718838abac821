// Package release holds what a release needs besides .goreleaser.yaml: the program that
// collects licenses, and the test that builds a release. It imports no other package of
// this module.
package release
