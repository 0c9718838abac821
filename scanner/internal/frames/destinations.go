package frames

// Frames about destinations named in the text: who else gets a copy, whose
// account is paid, what a link should carry.

// textBeyond is the sentence with some of the following text, because the dot
// of a host name may have ended it.
func (x *passage) textBeyond() string {
	return x.doc.Text[x.sen.Start:min(len(x.doc.Text), int(x.sen.End)+24)]
}
