; Written by `cargo run -p morse_grammar`.
[
  (frame)
  (geometry)
  (class)
  (comment)
] @fold
