// Shaders.

// Fraction of sunlight at a position: the mean of several samples of the shadow map.
const SHADOW = `
uniform highp sampler2DShadow shadow;
uniform mat4 sun;
uniform float texel;
float lit(vec3 at) {
  vec4 seen = sun * vec4(at, 1.0);
  vec3 place = seen.xyz / seen.w * 0.5 + 0.5;
  if (any(lessThan(place, vec3(0.0))) || any(greaterThan(place, vec3(1.0)))) return 1.0;
  float sum = 0.0;
  for (int x = -1; x <= 1; x++) for (int y = -1; y <= 1; y++)
    sum += texture(shadow, vec3(place.xy + vec2(x, y) * texel * 1.2, place.z));
  return sum / 9.0;
}`;

// Maximum number of spotlights.
export const LAMPS = 32;

// Light of the spotlights on a surface: it is halved at the lamp's distance, and fades at the edge of the cone.
const SPOTS = `
const int LAMPS = ${LAMPS};
uniform int lamp_count;
uniform vec4 lamp_position[LAMPS];
uniform vec4 lamp_axis[LAMPS];
uniform vec3 lamp_color[LAMPS];
vec3 spots(vec3 at, vec3 n) {
  vec3 sum = vec3(0.0);
  for (int i = 0; i < lamp_count; i++) {
    vec3 to_lamp = lamp_position[i].xyz - at;
    float away = length(to_lamp);
    vec3 toward = to_lamp / max(away, 1e-6);
    float edge = lamp_axis[i].w;
    float inside = dot(-toward, lamp_axis[i].xyz) - edge;
    float dim = clamp(inside / max(0.15 * (1.0 - edge), 1e-6), 0.0, 1.0);
    float square = lamp_position[i].w * lamp_position[i].w;
    sum += lamp_color[i] * max(dot(n, toward), 0.0) * dim * square / (square + away * away + 1e-9);
  }
  return sum;
}`;

export const SOLID = {
  vertex: `#version 300 es
layout(location=0) in vec3 position;
layout(location=1) in vec3 normal;
layout(location=2) in vec4 color;
layout(location=3) in float chosen;
layout(location=4) in mat4 model;
layout(location=8) in vec4 paint;
uniform mat4 camera;
out vec3 at; out vec3 up; out vec4 tint; out float glow;
void main() {
  vec4 world = model * vec4(position, 1.0);
  at = world.xyz;
  up = transpose(inverse(mat3(model))) * normal;
  tint = vec4(mix(color.rgb, paint.rgb, paint.a), color.a);
  glow = chosen;
  gl_Position = camera * world;
}`,
  fragment: `#version 300 es
precision highp float;
in vec3 at; in vec3 up; in vec4 tint; in float glow;
uniform vec3 eye; uniform vec3 light; uniform vec3 sky; uniform vec3 earth; uniform vec3 sunlight; uniform vec3 accent;
uniform vec3 haze; uniform float reach;
out vec4 result;
${SHADOW}
${SPOTS}
void main() {
  vec3 view = normalize(eye - at);
  vec3 n = normalize(up);
  if (dot(n, view) < 0.0) n = -n;
  vec3 base = pow(tint.rgb, vec3(2.2));
  float facing = max(dot(n, light), 0.0);
  float bright = facing > 0.0 ? facing * lit(at + n * 0.01) : 0.0;
  vec3 around = mix(earth, sky, n.z * 0.5 + 0.5);
  vec3 half_way = normalize(light + view);
  float shine = pow(max(dot(n, half_way), 0.0), 40.0) * 0.12 * bright;
  float rim = pow(1.0 - max(dot(n, view), 0.0), 3.0);
  vec3 c = base * (around + sunlight * bright + spots(at, n)) + shine + around * rim * 0.06;
  c += accent * glow * (0.10 + rim * 0.9);
  c = c / (1.0 + c * 0.18);
  c = pow(c, vec3(1.0 / 2.2));
  float far = smoothstep(reach * 0.35, reach, distance(eye, at));
  result = vec4(mix(c, haze, far), tint.a);
}`,
};

export const DEPTH = {
  vertex: `#version 300 es
layout(location=0) in vec3 position;
layout(location=4) in mat4 model;
uniform mat4 camera;
void main() { gl_Position = camera * model * vec4(position, 1.0); }`,
  fragment: `#version 300 es
precision mediump float;
void main() {}`,
};

// The ground: shadows, or lines a metre and ten metres apart.
export const GROUND = {
  vertex: `#version 300 es
layout(location=0) in vec2 corner;
uniform mat4 camera; uniform vec3 middle; uniform float size;
out vec3 at;
void main() {
  at = vec3(middle.xy + corner * size, 0.0);
  gl_Position = camera * vec4(at, 1.0);
}`,
  fragment: `#version 300 es
precision highp float;
in vec3 at;
uniform vec3 eye; uniform vec3 ink; uniform float lines; uniform float reach;
out vec4 result;
${SHADOW}
float line(vec2 place, float step, float width) {
  vec2 scaled = place / step;
  vec2 wide = fwidth(scaled);
  vec2 away = abs(fract(scaled - 0.5) - 0.5) / max(wide, 1e-6);
  float fade = 1.0 - smoothstep(0.15, 0.6, max(wide.x, wide.y));
  return (1.0 - smoothstep(width - 0.5, width + 0.5, min(away.x, away.y))) * fade;
}
void main() {
  float far = 1.0 - smoothstep(reach * 0.12, reach * 0.6, distance(eye, at));
  if (lines < 0.5) {
    result = vec4(0.0, 0.0, 0.0, (1.0 - lit(at)) * 0.30 * far);
    return;
  }
  float weight = max(line(at.xy, 1.0, 0.5) * 0.16, line(at.xy, 10.0, 0.6) * 0.34);
  vec2 axis = abs(at.xy) / max(fwidth(at.xy), vec2(1e-6));
  vec3 c = ink;
  if (axis.y < 1.2) { c = vec3(0.80, 0.27, 0.25); weight = 0.7; }
  else if (axis.x < 1.2) { c = vec3(0.25, 0.62, 0.32); weight = 0.7; }
  result = vec4(c, weight * far);
}`,
};

export const STROKE = {
  vertex: `#version 300 es
layout(location=0) in vec3 position;
layout(location=1) in vec4 color;
uniform mat4 camera; uniform float size;
out vec4 tint;
void main() {
  tint = color;
  gl_Position = camera * vec4(position, 1.0);
  gl_PointSize = clamp(size * 26.0 / gl_Position.w, size * 0.9, size * 2.4);
}`,
  fragment: `#version 300 es
precision mediump float;
in vec4 tint; uniform bool round;
out vec4 result;
void main() {
  if (round && length(gl_PointCoord - 0.5) > 0.5) discard;
  result = tint;
}`,
};

export function compile(gl, { vertex, fragment }) {
  const program = gl.createProgram();
  for (const [kind, text] of [[gl.VERTEX_SHADER, vertex], [gl.FRAGMENT_SHADER, fragment]]) {
    const shader = gl.createShader(kind);
    gl.shaderSource(shader, text);
    gl.compileShader(shader);
    if (!gl.getShaderParameter(shader, gl.COMPILE_STATUS)) throw new Error(gl.getShaderInfoLog(shader));
    gl.attachShader(program, shader);
  }
  gl.linkProgram(program);
  if (!gl.getProgramParameter(program, gl.LINK_STATUS)) throw new Error(gl.getProgramInfoLog(program));
  const at = {};
  const count = gl.getProgramParameter(program, gl.ACTIVE_UNIFORMS);
  for (let index = 0; index < count; index++) {
    const { name } = gl.getActiveUniform(program, index);
    // Arrays are listed as their first element.
    at[name.replace("[0]", "")] = gl.getUniformLocation(program, name);
  }
  return { program, at };
}
