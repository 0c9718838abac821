// Package models keeps the files of sentence models on this machine: it fetches
// a model once, checks it against a pinned digest, and checks it again each time
// it is loaded. Only models that this package knows can be added.
//
// It knows packages and files, and nothing of what the vectors are for.
package models
