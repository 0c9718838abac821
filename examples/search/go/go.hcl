contract = "lines"
command  = [binary]

build {
  binary  = "search"
  command = ["go", "build", "-o", "search", "main.go"]
}
