// Shaders: programs of the graphics card, each a vertex and a fragment shader.

export const ROW = 1024; // texels of a row in a texture of points

const COMMON = `#version 300 es
precision highp float;
`;
/** Surfaces with light from above, a highlight and, for glass, stronger edges. */
export const MESH = [
  COMMON +
    `
layout(location=0) in vec3 position; layout(location=1) in vec3 normal; layout(location=2) in float tint;
uniform mat4 view, projection, model; uniform mat3 upright; uniform float nearer;
out vec3 n, eye; out float paper; out vec2 place;
void main() {
  vec4 p = view * model * vec4(position, 1.);
  eye = p.xyz; n = mat3(view) * upright * normal; paper = tint; place = position.xy;
  gl_Position = projection * p;
  gl_Position.z += gl_Position.w * projection[3].z * (1. / (gl_Position.w - nearer) - 1. / gl_Position.w);
}`,
  COMMON +
    `
in vec3 n, eye; in float paper;
uniform vec4 colour; uniform vec3 sky; uniform float glass;
out vec4 result;
void main() {
  vec3 v = normalize(-eye), m = normalize(n);
  if (dot(m, v) < 0.) m = -m;
  vec3 key = normalize(vec3(-.45, .75, .8));
  vec3 base = pow(mix(colour.rgb, vec3(.95, .93, .89), paper), vec3(2.2));
  float up = .5 + .5 * dot(m, sky), facing = dot(m, v);
  float soft = clamp((dot(m, key) + .3) / 1.3, 0., 1.); // of a wide lamp, whose light reaches round the body
  vec3 light = mix(vec3(.2, .19, .21), vec3(.52, .55, .6), up) + .74 * soft * soft + .1 * max(dot(m, vec3(.8, .1, .3)), 0.);
  float shine = .13 * pow(max(dot(m, normalize(key + v)), 0.), 28.);
  float edge = pow(1. - facing, 2.5);
  vec3 c = pow(base * light + shine + .06 * edge, vec3(1. / 2.2));
  float a = mix(colour.a, min(1., colour.a * (.55 + 2.6 * edge) + shine), glass);
  result = vec4(c, 1.) * a;
}`,
];
/** Flat colour that fades towards the edge of the view: discs with rings and a soft rim, and shadows. */
export const FLAT = [
  MESH[0],
  COMMON +
    `
in vec3 n, eye; in float paper; in vec2 place; uniform vec4 colour, pane; uniform float rings; out vec4 result;
void main() {
  vec2 inside = gl_FragCoord.xy - pane.xy, edge = min(inside, pane.zw - inside);
  float a = colour.a, r = length(place) * 3.02, wide = fwidth(r);
  if (rings > 0.) {
    float line = 1. - smoothstep(.4 * wide, 1.3 * wide, abs(r - max(1., round(r))));
    a = a * smoothstep(3., 1.8, r) + rings * line * smoothstep(4.2, 1.2, r);
  }
  result = vec4(colour.rgb, 1.) * a * smoothstep(0., .14 * pane.w, min(edge.x, edge.y));
}`,
];
// Thick lines. Each segment is a rectangle on the screen with round ends: two triangles between two texels of a texture of
// points. (Instances with attributes would cost one call for each segment where there is no graphics card.)
export const LINE = [
  COMMON +
    `
uniform highp sampler2D points; uniform int apart;
uniform mat4 all; uniform vec2 size; uniform float width, now, nearer, depth, tail; uniform int timed;
uniform float fade;
out vec2 along; out float across, len, past, age;
vec4 point(int i) { return all * vec4(texelFetch(points, ivec2(i % ${ROW}, i / ${ROW}), 0).xyz, 1.); }
void main() {
  int segment = gl_VertexID / 6, corner = gl_VertexID % 6;
  corner = corner < 3 ? corner : corner == 3 ? 2 : corner == 4 ? 1 : 3;
  vec4 a = point(segment * apart), b = point(segment * apart + 1);
  vec2 p = a.xy / a.w * size * .5, q = b.xy / b.w * size * .5;
  vec2 d = q - p; len = length(d);
  d = len > 1e-4 ? d / len : vec2(1., 0.);
  float r = width * .5 + 1., end = float(corner & 1), side = float(corner >> 1) * 2. - 1.;
  vec2 s = mix(p - d * r, q + d * r, end) + vec2(-d.y, d.x) * side * r;
  vec4 c = mix(a, b, end);
  along = vec2(dot(s - p, d), 0.); across = side * r;
  float index = float(segment);
  past = timed == 0 ? 2e9 : (now - index) * max(len, 1e-3);
  age = tail > 0. ? clamp((now - index - end) / tail, 0., 1.) : fade > 0. ? .6 * clamp((now - index - end) / fade, 0., 1.) : 0.;
  gl_Position = vec4(s / size * 2. * c.w, c.z + c.w * (depth / (c.w - nearer) - depth / c.w), c.w);
}`,
  COMMON +
    `
in vec2 along; in float across, len, past, age;
uniform vec4 colour; uniform float width, faint;
out vec4 result;
void main() {
  float x = along.x, r = width * .5;
  bool done = x <= past;
  float strength = colour.a * (done ? 1. - age : faint);
  // Translucent segments have no round ends, whose overlaps would be visible.
  float beyond = x < 0. ? -x : max(x - len, 0.);
  if (strength < .99 && (x < 0. || x >= len)) discard;
  float a = clamp(r + .5 - length(vec2(beyond, across)), 0., 1.) * strength;
  if (a < .01) discard;
  result = vec4(colour.rgb, 1.) * a;
}`,
];
// Points as small balls; those that are still to come are smaller and fainter. Around the present time all `dense` points are drawn;
// twice as far from it every second one, then every fourth: a long run does not become confetti.
export const POINT = [
  COMMON +
    `
layout(location=0) in vec3 position;
uniform mat4 all; uniform float width, now, nearer, depth, stride, dense, tail; uniform int timed;
out float strength, r;
void main() {
  gl_Position = all * vec4(position, 1.);
  gl_Position.z += gl_Position.w * (depth / (gl_Position.w - nearer) - depth / gl_Position.w);
  bool past = timed == 0 || float(gl_VertexID) * stride <= now + 1e-3;
  float level = timed == 0 ? 0. : max(0., log2(abs(now / stride - float(gl_VertexID)) / dense) + 1.);
  int every = 1 << int(level);
  float stays = gl_VertexID % every != 0 ? 0. : gl_VertexID % (2 * every) == 0 ? 1. : 1. - fract(level);
  float age = tail > 0. && past ? clamp((now - float(gl_VertexID) * stride) / tail, 0., 1.) : 0.;
  strength = (past ? 1. - age : .28) * stays * max(.4, 1. - .12 * level);
  r = .5 * width * (past ? 1. : .72) * max(.6, 1. - .1 * level);
  gl_PointSize = 2. * r + 2.;
}`,
  COMMON +
    `
in float strength, r; uniform vec4 colour; out vec4 result;
void main() {
  vec2 p = (gl_PointCoord - .5) * (2. * r + 2.);
  float d = length(p), a = clamp(r + .5 - d, 0., 1.) * strength * colour.a;
  if (a < .01) discard;
  float light = .3 * clamp(1. - length(p + vec2(r * .35, r * .35)) / r, 0., 1.) - .22 * smoothstep(r * .55, r, d);
  result = vec4(clamp(colour.rgb + light, 0., 1.), 1.) * a;
}`,
];
