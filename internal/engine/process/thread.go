package process

import "runtime"

// onThread runs start on a thread that is kept until release is called: the
// kernel sends a parent-death signal when the thread that started the child
// ends, not the process. A thread that start confines is of no use to anybody
// else and ends then.
func onThread(confines bool, start func() error) (release func(), err error) {
	started, over := make(chan error), make(chan struct{})
	go holdThread(confines, start, started, over)
	if err := <-started; err != nil {
		return nil, err
	}
	return func() { close(over) }, nil
}

func holdThread(confines bool, start func() error, started chan<- error, over <-chan struct{}) {
	runtime.LockOSThread()
	if confines && isFirstThread() {
		// The first thread stands for the process in /proc and cannot
		// end. While it is held here, another one takes over.
		defer runtime.UnlockOSThread()
		taken := make(chan error)
		go holdThread(confines, start, taken, over)
		started <- <-taken
		return
	}
	err := start()
	started <- err
	if err == nil {
		<-over
	}
	if !confines {
		runtime.UnlockOSThread()
	}
	// A goroutine that ends while it holds a thread ends the thread too.
}
