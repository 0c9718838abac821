// Package models manages the files of sentence models on this machine. It
// fetches a model once and checks it against a pinned digest, then and each
// time it is loaded. Only models known to this package can be added.
//
// It handles packages and files only. The use of the vectors does not belong
// here.
package models
