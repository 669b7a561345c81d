// WebGL2: surfaces, thick lines, points, arrows and shadows on a canvas.

import {rotateUpright, transpose} from "../core/algebra.js";
import {affine, compose, linearPart} from "./matrices.js";
import {FLAT, LINE, MESH, POINT, ROW} from "./shaders.js";

const FAINT = 0.2; // of a curve's strength where time has not come yet
const DENSE = 56; // points before and after the present time that are all drawn
// Places of the parts of a wide lamp, which casts soft shadows.
const LAMPS = Array.from({length: 7}, (_, k) =>
  [Math.cos(2.4 * k), Math.sin(2.4 * k)].map(x => 0.075 * Math.sqrt(k / 6) * x),
);

/** The function that sets a uniform; a number is set only when it changes. */
function createSetter(gl, type, at) {
  const name =
    {
      [gl.FLOAT_VEC2]: "uniform2fv",
      [gl.FLOAT_VEC3]: "uniform3fv",
      [gl.FLOAT_VEC4]: "uniform4fv",
      [gl.FLOAT]: "uniform1f",
    }[type] ?? "uniform1i";
  if (type === gl.FLOAT_MAT4) return value => gl.uniformMatrix4fv(at, false, value);
  if (type === gl.FLOAT_MAT3) return value => gl.uniformMatrix3fv(at, false, value);
  if (name.endsWith("v")) return value => gl[name](at, value);
  let last = null;
  return value => {
    if (value !== last) gl[name](at, (last = value));
  };
}

/** WebGL programs, buffers and draw calls of one canvas. */
export class Painter {
  constructor(canvas) {
    const gl = canvas.getContext("webgl2", {
      antialias: false,
      alpha: true,
      premultipliedAlpha: true,
      powerPreference: "high-performance",
    });
    if (!gl) throw new Error("This browser has no WebGL 2.");
    this.gl = gl;
    this.canvas = canvas;
    const info = gl.getExtension("WEBGL_debug_renderer_info");
    const renderer = String(gl.getParameter(info?.UNMASKED_RENDERER_WEBGL ?? gl.RENDERER));
    this.most = Math.min(4, gl.getParameter(gl.MAX_SAMPLES));
    this.samples = this.adapted = /swiftshader|llvmpipe|software/i.test(renderer) ? 0 : this.most; // while the picture moves
    // Start to compile all before the first query, which waits for its program.
    const linked = Object.entries({MESH, FLAT, LINE, POINT}).map(([name, sources]) => [
      name,
      this.#link(sources),
    ]);
    this.programs = Object.fromEntries(
      linked.map(([name, program]) => [
        name,
        {program, set: this.#findUniforms(program), pane: null},
      ]),
    );
    this.surfaces = new Map();
    this.arrow = {
      shaft: this.#turnProfile([
        [1, 0],
        [1, 1],
      ]),
      head: this.#turnProfile([
        [0, 0],
        [1, 0],
        [0, 1],
      ]),
    };
    this.ball = this.#turnProfile(
      Array.from({length: 13}, (_, i) => [
        Math.sin((i * Math.PI) / 12),
        -Math.cos((i * Math.PI) / 12),
      ]),
    );
    gl.enable(gl.DEPTH_TEST);
    gl.enable(gl.BLEND);
    gl.blendFunc(gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
  }

  #link(sources) {
    const {gl} = this,
      program = gl.createProgram();
    sources.forEach((source, i) => {
      const shader = gl.createShader(i ? gl.FRAGMENT_SHADER : gl.VERTEX_SHADER);
      gl.shaderSource(shader, source);
      gl.compileShader(shader);
      gl.attachShader(program, shader);
    });
    gl.linkProgram(program);
    return program;
  }

  /** The functions that set a program's uniforms. */
  #findUniforms(program) {
    const {gl} = this,
      set = {};
    if (!gl.getProgramParameter(program, gl.LINK_STATUS) && !gl.isContextLost())
      throw new Error(
        [
          gl.getProgramInfoLog(program),
          ...gl.getAttachedShaders(program).map(shader => gl.getShaderInfoLog(shader)),
        ].join(" "),
      );
    for (const shader of gl.getAttachedShaders(program) ?? []) gl.deleteShader(shader);
    for (let i = 0; i < gl.getProgramParameter(program, gl.ACTIVE_UNIFORMS); i++) {
      const {name, type} = gl.getActiveUniform(program, i);
      set[name] = createSetter(gl, type, gl.getUniformLocation(program, name));
    }
    return set;
  }

  #createBuffer(data, target = this.gl.ARRAY_BUFFER) {
    const buffer = this.gl.createBuffer();
    this.gl.bindBuffer(target, buffer);
    this.gl.bufferData(target, data, this.gl.STATIC_DRAW);
    return buffer;
  }

  #createAttribute(location, data, size) {
    const {gl} = this,
      buffer = this.#createBuffer(data);
    gl.enableVertexAttribArray(location);
    gl.vertexAttribPointer(location, size, gl.FLOAT, false, 0, 0);
    return buffer;
  }

  #createSurface(points, normals, tint, triangles, edges) {
    const {gl} = this,
      vao = gl.createVertexArray();
    gl.bindVertexArray(vao);
    const buffers = [
      this.#createAttribute(0, points, 3),
      this.#createAttribute(1, normals, 3),
      this.#createAttribute(2, tint, 1),
      this.#createBuffer(triangles, gl.ELEMENT_ARRAY_BUFFER),
    ];
    return {
      vao,
      buffers,
      count: triangles.length,
      type: triangles.BYTES_PER_ELEMENT === 2 ? gl.UNSIGNED_SHORT : gl.UNSIGNED_INT,
      edges: edges?.length ? this.createLine(edges, {pairs: true}) : null,
    };
  }

  /** A line through points, or segments between pairs of them. */
  createLine(points, {pairs = false} = {}) {
    const {gl} = this,
      texture = gl.createTexture(),
      n = points.length / 3,
      full = Math.floor(n / ROW);
    gl.bindTexture(gl.TEXTURE_2D, texture);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MIN_FILTER, gl.NEAREST);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MAG_FILTER, gl.NEAREST);
    gl.texStorage2D(gl.TEXTURE_2D, 1, gl.RGB32F, ROW, Math.ceil(n / ROW) || 1);
    if (full) gl.texSubImage2D(gl.TEXTURE_2D, 0, 0, 0, ROW, full, gl.RGB, gl.FLOAT, points);
    if (n % ROW)
      gl.texSubImage2D(
        gl.TEXTURE_2D,
        0,
        0,
        full,
        n % ROW,
        1,
        gl.RGB,
        gl.FLOAT,
        points,
        3 * ROW * full,
      );
    return {texture, apart: pairs ? 2 : 1, count: pairs ? n / 2 : Math.max(0, n - 1)};
  }

  /** Every point at this stride. WebGL's own strides end at 255 bytes. */
  createPoints(points, stride) {
    const {gl} = this,
      vao = gl.createVertexArray(),
      count = Math.ceil(points.length / 3 / stride),
      picked = new Float32Array(3 * count);
    for (let i = 0; i < count; i++)
      for (let k = 0; k < 3; k++) picked[3 * i + k] = points[3 * stride * i + k];
    gl.bindVertexArray(vao);
    return {vao, buffers: [this.#createAttribute(0, picked, 3)], count};
  }

  free(thing) {
    if (!thing) return;
    const {gl} = this;
    gl.deleteTexture(thing.texture ?? null);
    gl.deleteVertexArray(thing.vao ?? null);
    thing.buffers?.forEach(b => gl.deleteBuffer(b));
    this.free(thing.edges);
  }

  /** A surface of revolution about e3 from (radius, height) pairs, with flat bands where they bend. */
  #turnProfile(profile) {
    const around = 24,
      points = [],
      normals = [],
      triangles = [];
    for (let k = 0; k + 1 < profile.length; k++) {
      const [[r, z], [R, Z]] = [profile[k], profile[k + 1]],
        n = Math.hypot(Z - z, R - r) || 1,
        base = points.length / 3;
      for (let j = 0; j <= around; j++) {
        const c = Math.cos((2 * Math.PI * j) / around),
          s = Math.sin((2 * Math.PI * j) / around);
        points.push(r * c, r * s, z, R * c, R * s, Z);
        for (let twice = 0; twice < 2; twice++)
          normals.push(((Z - z) / n) * c, ((Z - z) / n) * s, (r - R) / n);
        if (j < around)
          triangles.push(
            base + 2 * j,
            base + 2 * j + 2,
            base + 2 * j + 1,
            base + 2 * j + 1,
            base + 2 * j + 2,
            base + 2 * j + 3,
          );
      }
    }
    return this.#createSurface(
      new Float32Array(points),
      new Float32Array(normals),
      new Float32Array(points.length / 3),
      new Uint32Array(triangles),
    );
  }

  /** Take meshes. Others stay: the sphere and the disc are the same for all problems. */
  setSurfaces(packed) {
    for (const [name, m] of Object.entries(packed?.header.meshes ?? {})) {
      if (this.surfaces.has(name)) this.free(this.surfaces.get(name));
      const [points, normals, tint, triangles, edges] = [
        "points",
        "normals",
        "tint",
        "triangles",
        "edges",
      ].map(part => packed.numbers(m[part]));
      const surface = this.#createSurface(points, normals, tint, triangles, edges);
      this.surfaces.set(name, {...surface, points, triangles});
    }
  }

  begin(width, height) {
    const {gl, canvas} = this;
    if (canvas.width !== width || canvas.height !== height) {
      canvas.width = width;
      canvas.height = height;
    }
    this.#bindTarget(width, height);
    gl.depthMask(true);
    gl.colorMask(true, true, true, true);
    gl.clearColor(0, 0, 0, 0);
    gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT | gl.STENCIL_BUFFER_BIT);
    gl.enable(gl.SCISSOR_TEST);
    this.shadows = 0;
  }

  /** Draw into a part of the canvas from now on, in pixels from its left and lower edges. */
  usePane(left, bottom, width, height, camera) {
    Object.assign(this, {width, height, camera, pane: [left, bottom, width, height]});
    this.gl.viewport(left, bottom, width, height);
    this.gl.scissor(left, bottom, width, height);
  }

  /** Draw into a multisampled buffer, which `end` copies to the canvas. */
  #bindTarget(width, height) {
    const {gl} = this,
      format = `${width} ${height} ${this.samples}`;
    if (this.format !== format) {
      if (this.frame) {
        gl.deleteFramebuffer(this.frame);
        this.stores.forEach(s => gl.deleteRenderbuffer(s));
      }
      this.frame = gl.createFramebuffer();
      gl.bindFramebuffer(gl.FRAMEBUFFER, this.frame);
      this.stores = [
        [gl.RGBA8, gl.COLOR_ATTACHMENT0],
        [gl.DEPTH24_STENCIL8, gl.DEPTH_STENCIL_ATTACHMENT],
      ].map(([kind, place]) => {
        const store = gl.createRenderbuffer();
        gl.bindRenderbuffer(gl.RENDERBUFFER, store);
        gl.renderbufferStorageMultisample(gl.RENDERBUFFER, this.samples, kind, width, height);
        gl.framebufferRenderbuffer(gl.FRAMEBUFFER, place, gl.RENDERBUFFER, store);
        return store;
      });
      this.format = format;
    }
    gl.bindFramebuffer(gl.FRAMEBUFFER, this.frame);
  }

  end() {
    const {
      gl,
      canvas: {width, height},
    } = this;
    gl.disable(gl.SCISSOR_TEST);
    gl.bindFramebuffer(gl.READ_FRAMEBUFFER, this.frame);
    gl.bindFramebuffer(gl.DRAW_FRAMEBUFFER, null);
    gl.blitFramebuffer(0, 0, width, height, 0, 0, width, height, gl.COLOR_BUFFER_BIT, gl.NEAREST);
    gl.bindVertexArray(null);
  }

  /** Use a program with these values, and with those of the view. */
  #use(used, values) {
    const {program, set} = used;
    if (this.program !== program) this.gl.useProgram((this.program = program));
    if (used.pane !== this.pane) {
      const {
        camera: {view, projection, sky},
        pane,
        width,
        height,
      } = this;
      used.pane = pane;
      this.#set(set, {view, projection, sky, pane, size: [width, height], depth: projection[14]});
    }
    this.#set(set, values);
  }

  #set(set, values) {
    for (const name in values) set[name]?.(values[name]);
  }

  /** Draw a surface. Glass shows its inside first, and does not hide what comes later. */
  drawMesh(
    surface,
    model,
    colour,
    {
      glass = 0,
      flat = false,
      shell = false,
      core = false,
      rings = 0,
      nearer = 0,
      upright = linearPart(model),
    } = {},
  ) {
    const {gl} = this;
    this.#use(this.programs[flat ? "FLAT" : "MESH"], {
      model,
      upright,
      colour,
      glass,
      rings,
      nearer,
    });
    gl.bindVertexArray(surface.vao);
    const draw = () => gl.drawElements(gl.TRIANGLES, surface.count, surface.type, 0);
    const clear = glass || flat || shell;
    gl.depthMask(!clear);
    if (glass || shell || core) {
      gl.enable(gl.CULL_FACE);
      if (glass) {
        gl.cullFace(gl.FRONT);
        draw();
      }
      gl.cullFace(gl.BACK);
      draw();
      gl.disable(gl.CULL_FACE);
    } else draw();
    gl.depthMask(true);
  }

  /** Draw a shadow at a height: each part of the lamp darkens a pixel once, however often the body covers it. */
  drawShadow(surface, model, [x, y], floor, strength) {
    const {gl} = this;
    gl.enable(gl.STENCIL_TEST);
    gl.stencilOp(gl.KEEP, gl.KEEP, gl.REPLACE);
    for (const [dx, dy] of LAMPS) {
      const [u, v] = [x + dx, y + dy],
        flat = new Float32Array([
          1,
          0,
          0,
          0,
          0,
          1,
          0,
          0,
          -u,
          -v,
          0,
          0,
          u * floor,
          v * floor,
          floor,
          1,
        ]);
      this.shadows = (this.shadows % 255) + 1;
      gl.stencilFunc(gl.NOTEQUAL, this.shadows, 255);
      if (!dx && !dy)
        this.drawMesh(surface, compose(flat, model), [0, 0, 0, strength / LAMPS.length], {
          flat: true,
        });
      else {
        gl.depthMask(false);
        this.programs.FLAT.set.model(compose(flat, model));
        gl.drawElements(gl.TRIANGLES, surface.count, surface.type, 0);
      }
    }
    gl.depthMask(true);
    gl.disable(gl.STENCIL_TEST);
  }

  drawLine(
    line,
    model,
    colour,
    width,
    {timed = 0, now = 0, tail = 0, ahead = 0, nearer = 0.012, marks = true} = {},
  ) {
    const {gl, camera} = this;
    this.#use(this.programs.LINE, {
      all: compose(camera.all, model),
      apart: line.apart,
      width,
      now,
      tail,
      fade: timed && !tail ? 0.5 * line.count : 0,
      nearer,
      timed,
      colour,
      faint: tail && !ahead ? 0 : FAINT,
    });
    gl.bindVertexArray(null);
    gl.bindTexture(gl.TEXTURE_2D, line.texture);
    gl.depthMask(marks);
    // Leave out what is older than the tail or still to come.
    const first = tail ? Math.max(0, Math.floor(now - tail)) : 0,
      last = tail ? Math.min(line.count, Math.ceil(Math.max(now, ahead)) + 1) : line.count;
    if (last > first) gl.drawArrays(gl.TRIANGLES, 6 * first, 6 * (last - first));
    gl.depthMask(true);
  }

  drawPoints(
    points,
    model,
    colour,
    width,
    {timed = 0, now = 0, tail = 0, ahead = 0, stride = 1, dense = DENSE, nearer, marks = true} = {},
  ) {
    const {gl, camera} = this;
    this.#use(this.programs.POINT, {
      all: compose(camera.all, model),
      width,
      now,
      nearer,
      stride,
      dense,
      timed,
      tail,
      colour,
    });
    gl.bindVertexArray(points.vao);
    gl.depthMask(marks);
    const first = tail ? Math.max(0, Math.ceil((now - tail) / stride)) : 0,
      last = tail
        ? Math.min(points.count, Math.floor(Math.max(now, ahead) / stride) + 1)
        : points.count;
    if (last > first) gl.drawArrays(gl.POINTS, first, last - first);
    gl.depthMask(true);
  }

  drawArrow(model, vector, colour, thickness, headless) {
    const length = Math.hypot(...vector),
      turn = transpose(rotateUpright(vector)),
      head = headless ? 0 : Math.min(5.4 * thickness, 0.6 * length);
    const scaled = (r, l, z) =>
      compose(
        model,
        compose(affine(turn), new Float32Array([r, 0, 0, 0, 0, r, 0, 0, 0, 0, l, 0, 0, 0, z, 1])),
      );
    this.drawMesh(this.arrow.shaft, scaled(thickness, length - head, 0), colour);
    if (head)
      this.drawMesh(
        this.arrow.head,
        scaled((2.6 * thickness * head) / (5.4 * thickness), head, length - head),
        colour,
      );
  }

  dispose() {
    this.setSurfaces(null);
    this.gl.getExtension("WEBGL_lose_context")?.loseContext();
  }
}
