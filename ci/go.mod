module dagger/touchstone

go 1.26.1
