// Package refreshcorpus makes the next version of a corpus from the tools that
// real servers list, and migrates the labels of a golden set to it.
//
//   - upstreams.go reads upstreams.hcl: the servers and their versions.
//   - lock.go and install.go install the pinned packages in a private directory.
//   - list.go queries the servers, refresh.go writes the corpus, shrunken.go
//     reports missing tools.
//   - download.go and fetch.go read a corpus that is frozen by reference: they get
//     packages and start none of them, and start servers without network.
//     frozen.go compares the tools with their digests.
//   - diff.go and similarity.go compare two corpora.
//   - migrate.go migrates labels and lists what a person has to review.
//
// A refresh uses the network, so its output depends on more than its inputs. Its
// results are never cached and never part of a gate. It never overwrites a file,
// because frozen data must not change. A fetch is verified tool by tool, so that its
// results can be cached; packages downloadtools and fetchtools are its stages.
package refreshcorpus
