//go:build !linux

package cache

import "os"

// tryLockKey locks a file that belongs to the key alone. It returns nil without
// an error if another holder has the key.
func (s *Store) tryLockKey(k Key) (unlock func(), err error) {
	f, err := s.tryLockFile(s.path(locksDir, keyLockPrefix+k.String()))
	if f == nil || err != nil {
		return nil, err
	}
	return func() {
		// Remove the file while it is still locked: a process that waits for
		// this file notices that it has lost its name.
		os.Remove(f.Name())
		f.Close()
	}, nil
}
