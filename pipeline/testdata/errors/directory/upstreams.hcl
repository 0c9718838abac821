corpus { source = "s" }
upstream "a" { version = "" }
