// Packed buffers of meshes, motions and sound, as app/scene/packing.py writes them.

const KINDS = {f4: Float32Array, u4: Uint32Array, u2: Uint16Array, i2: Int16Array, i1: Int8Array};

const toBuffer = data =>
  data == null
    ? new ArrayBuffer(0)
    : data instanceof ArrayBuffer
      ? data
      : ArrayBuffer.isView(data)
        ? data.buffer.slice(data.byteOffset, data.byteOffset + data.byteLength)
        : (data.buffer ?? data);

/** The header of a buffer, and a function that returns the numbers of a place in it; null for an empty buffer. */
export function unpack(data) {
  const bytes = toBuffer(data);
  if (bytes.byteLength < 4) return null;
  const length = new Uint32Array(bytes, 0, 1)[0];
  const header = JSON.parse(new TextDecoder().decode(new Uint8Array(bytes, 4, length)));
  const numbers = ([offset, count, kind, unit]) => {
    const stored = new KINDS[kind](bytes, 4 + length + offset, count);
    if (!kind.startsWith("i")) return stored;
    const values = new Float32Array(stored);
    for (let i = 0; i < count; i++) values[i] *= unit;
    return values;
  };
  return {header, numbers};
}

/** The facts of a scene, packed or not; undefined for an empty buffer. */
export const readFacts = data => data?.facts ?? unpack(data)?.header.facts;

/** Facts and motions, packed or not; null for an empty buffer. */
export function readMotions(data) {
  if (data?.facts) return data;
  const packed = unpack(data);
  if (!packed) return null;
  const {
    header: {facts, motions},
    numbers,
  } = packed;
  return {
    facts,
    motions: motions.map(({n, spacing, t, q, Omega, x, torque, ...rest}) => ({
      ...rest,
      t: t ? numbers(t) : Float32Array.from({length: n}, (_, i) => i * spacing),
      q: numbers(q),
      Omega: numbers(Omega),
      x: x && numbers(x),
      torque: torque && numbers(torque),
    })),
  };
}
