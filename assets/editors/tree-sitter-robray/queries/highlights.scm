; Written by `cargo run -p morse_grammar`.
(comment) @comment
(string) @string
(number) @number
(constant) @constant.builtin

[
  "frame" "geometry" "class" "include" "allow_collision" "def" "connect" "weld"
] @keyword

(frame name: (_) @type)
(class name: (_) @type)
(definition name: (identifier) @constant)
(include path: (string) @string.special.path)

((attribute name: (identifier) @property)
  (#any-of? @property
  "parent" "translation" "quaternion" "rpy" "type" "axis" "offset" "variable"
  "limit_position" "limit_velocity" "limit_effort" "damping" "dry_friction" "armature" "gear" "ratio"
  "mass" "center_of_mass" "inertia" "isa" "shape" "mesh" "dimension" "delta"
  "thickness" "radius" "height" "start_radius" "end_radius" "color" "alpha" "specular"
  "shininess" "image" "checker" "pattern_size" "scale" "visual" "collision" "no-shadow"
  "friction" "restitution" "density" "convex_parts"))

((attribute value: (identifier) @constant.builtin)
  (#any-of? @constant.builtin
  "fixed" "revolute" "prismatic" "floating" "box" "sphere" "cylinder" "cone"
  "grid" "mesh" "capsule"))

["+" "-" "*" "/" "**" "^"] @operator
["(" ")" "[" "]" "{" "}"] @punctuation.bracket
["," ";"] @punctuation.delimiter
