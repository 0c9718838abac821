// Package report is the room of figures that people read: how they are computed from
// results, judged against a baseline, and worded on every surface.
//
//   - ranking scores ranked lists, and significance says which changes exceed noise
//   - compare compares two reports, and fitness two sets of tool descriptions
//   - summary words a verdict, its changes and its metrics for every surface
//   - wording writes figures and untrusted text in the same way everywhere, pagestyle holds
//     the colours of all pages, and samplereport is a report for tests
//   - cihost shows results on hosts of CI
//
// Neither stages nor the engine come in. Start with significance.
package report
