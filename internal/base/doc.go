// Package base is the room of leaves: packages without knowledge of the product, which any
// room may import. A package belongs here if another program could use it as it is. Base
// imports only base.
package base
