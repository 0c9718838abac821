// Package browser drives a real browser in tests: Debian's Chromium, headless.
// browser.go opens pages and asks them, axe.go checks them for barriers with
// axe-core. Tests that need a browser skip with a message where there is none.
package browser
