pipeline { name = "one" }
