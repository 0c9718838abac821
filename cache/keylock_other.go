//go:build !linux

package cache

import "os"

// tryLockKey locks a file of the key's own; nil without an error is a key
// that somebody else has.
func (s *Store) tryLockKey(k Key) (unlock func(), err error) {
	f, err := s.tryLockFile(s.path(locksDir, keyLockPrefix+k.String()))
	if f == nil || err != nil {
		return nil, err
	}
	return func() {
		// Removed while it is still locked: whoever waits for this very
		// file notices that it has no name any more.
		os.Remove(f.Name())
		f.Close()
	}, nil
}
