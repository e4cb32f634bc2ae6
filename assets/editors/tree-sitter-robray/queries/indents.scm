; Written by `cargo run -p morse_grammar`.
[
  (frame_body)
  (geometry_body)
  (class_body)
  (array)
] @indent.begin

[
  "}"
  "]"
] @indent.branch @indent.end

(comment) @indent.auto
