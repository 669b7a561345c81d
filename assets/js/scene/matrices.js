// 4×4 matrices for the graphics card, column by column.

/** x ↦ size·A x + shift, of a 3×3 matrix row by row. */
export function affine(A, size = 1, shift = [0, 0, 0]) {
  return new Float32Array([
    size * A[0],
    size * A[3],
    size * A[6],
    0,
    size * A[1],
    size * A[4],
    size * A[7],
    0,
    size * A[2],
    size * A[5],
    size * A[8],
    0,
    ...shift,
    1,
  ]);
}

/** The part of a matrix that acts on directions, column by column. */
export const linearPart = A => [A[0], A[1], A[2], A[4], A[5], A[6], A[8], A[9], A[10]];

/** A B. */
export function compose(A, B) {
  const C = new Float32Array(16);
  for (let c = 0; c < 4; c++)
    for (let r = 0; r < 4; r++)
      C[4 * c + r] =
        A[r] * B[4 * c] +
        A[4 + r] * B[4 * c + 1] +
        A[8 + r] * B[4 * c + 2] +
        A[12 + r] * B[4 * c + 3];
  return C;
}

/** The place to which an affine matrix takes a point. */
export const transform = (M, v) =>
  [0, 1, 2].map(r => M[r] * v[0] + M[4 + r] * v[1] + M[8 + r] * v[2] + M[12 + r]);
