package process

import "runtime"

// onThread runs start on a thread that is kept until release is called, because the
// kernel sends the parent-death signal when the thread that started the child ends, not
// when the process ends. If start restricts the thread, the thread ends on release,
// because it cannot be used for anything else. end is called on the thread after release, or if start fails.
func onThread(confines bool, end func(), start func() error) (release func(), err error) {
	started, over := make(chan error), make(chan struct{})
	go holdThread(confines, end, start, started, over)
	if err := <-started; err != nil {
		return nil, err
	}
	return func() { close(over) }, nil
}

func holdThread(confines bool, end func(), start func() error, started chan<- error, over <-chan struct{}) {
	runtime.LockOSThread()
	if confines && isFirstThread() {
		// The first thread represents the process in /proc and cannot
		// end. While it is locked here, another thread is used.
		defer runtime.UnlockOSThread()
		taken := make(chan error)
		go holdThread(confines, end, start, taken, over)
		started <- <-taken
		return
	}

	err := start()
	started <- err
	if err == nil {
		<-over
	}

	end()

	if !confines {
		runtime.UnlockOSThread()
	}
	// A goroutine that ends while it is locked to a thread also ends the thread.
}
