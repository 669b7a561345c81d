/* The rigid body: its constants, its torque, the state in memory, and the invariants that a tracked run watches. */
#ifndef POLHODE_REFERENCE_BODY_H
#define POLHODE_REFERENCE_BODY_H

#include <math.h>
#include <stdint.h>

#include "vec3.h"

/* What a kernel returns. */
enum { DONE = 0, NO_SOLUTION = 1, NOT_FINITE = 2 };

/* Newton: stop after an update that is this small against the unknown; convergence is quadratic, so that what is
 * left is roundoff. A solution that has not come by the cap counts as none. */
#define NEWTON_TOLERANCE 1e-9
#define NEWTON_CAP 40

INLINE int converged(vec3 change, vec3 unknown)
{
    return max_abs(change) <= NEWTON_TOLERANCE * max_abs(unknown); /* false if something is not a number */
}

typedef struct {
    vec3 J;     /* principal moments of inertia */
    vec3 J_inv; /* their inverses */
    vec3 euler; /* ((J2 - J3)/J1, (J3 - J1)/J2, (J1 - J2)/J3) */
    double Mgl; /* weight times distance of the centre of mass; not used for a free body */
    vec3 Mgl_J; /* Mgl/J1, Mgl/J2, Mgl/J3 */
} body;

/* An attitude by quaternion, body to space; not necessarily a unit one. */
typedef struct { double w, x, y, z; } quaternion;

INLINE body read_body(const double *params)
{
    const vec3 J = vec(params[0], params[1], params[2]);
    const vec3 J_inv = vec(1.0 / J.x, 1.0 / J.y, 1.0 / J.z);
    return (body){.J = J,
                  .J_inv = J_inv,
                  .euler = mul(vec(J.y - J.z, J.z - J.x, J.x - J.y), J_inv),
                  .Mgl = params[3],
                  .Mgl_J = scale(params[3], J_inv)};
}

/* state[12]: R row by row, then the body angular velocity */
INLINE mat3 read_attitude(const double *state)
{
    return (mat3){state[0], state[1], state[2], state[3], state[4], state[5], state[6], state[7], state[8]};
}

INLINE vec3 read_velocity(const double *state) { return vec(state[9], state[10], state[11]); }

INLINE void write_state(double *state, mat3 R, vec3 Omega)
{
    state[0] = R.xx, state[1] = R.xy, state[2] = R.xz;
    state[3] = R.yx, state[4] = R.yy, state[5] = R.yz;
    state[6] = R.zx, state[7] = R.zy, state[8] = R.zz;
    state[9] = Omega.x, state[10] = Omega.y, state[11] = Omega.z;
}

/* ---- dynamics -------------------------------------------------------------------------------------------- */

/* Euler's equations divided by J: dOmega/dt = J^-1 g(Omega) + J^-1 T, where g(w) = J w x w. This is J^-1 g(w). */
INLINE vec3 gyroscopic(const body *b, vec3 w)
{
    return vec(b->euler.x * (w.y * w.z), b->euler.y * (w.z * w.x), b->euler.z * (w.x * w.y));
}

/* m + k J^-1 G(w), where G(w) = hat(w) J - hat(J w) is the derivative of -g(w) */
INLINE mat3 gyroscopic_tangent(const body *b, double m, double k, vec3 w)
{
    const vec3 e = scale(-k, b->euler);
    return (mat3){m, e.x * w.z, e.x * w.y,
                  e.y * w.z, m, e.y * w.x,
                  e.z * w.y, e.z * w.x, m};
}

/* The heavy top's potential is Mgl R33. Its torque in space is t = -Mgl (R e3) x e3; seen from the body that is
 * T = R^T t = Mgl Gamma x e3, where Gamma = R^T e3, the third row of R, is the vertical. Neither t nor T has a
 * third component, and `push` leaves that of P alone. */
INLINE vec3 vertical(mat3 R) { return vec(R.zx, R.zy, R.zz); }
INLINE vec3 third_axis(mat3 R) { return vec(R.xz, R.yz, R.zz); } /* R e3 */
INLINE vec3 space_torque(const body *b, vec3 R_e3) { return vec(-b->Mgl * R_e3.y, b->Mgl * R_e3.x, 0.0); }
INLINE vec3 body_torque(const body *b, vec3 Gamma) { return vec(b->Mgl * Gamma.y, -b->Mgl * Gamma.x, 0.0); }

/* P + s T */
INLINE vec3 push(vec3 P, double s, vec3 T) { return vec(P.x + s * T.x, P.y + s * T.y, P.z); }

/* J^-1 T */
INLINE vec3 torque_acceleration(const body *b, vec3 Gamma)
{
    return vec(b->Mgl_J.x * Gamma.y, -b->Mgl_J.y * Gamma.x, 0.0);
}

/* dOmega/dt */
INLINE vec3 acceleration(const body *b, int heavy_top, vec3 Gamma, vec3 Omega)
{
    const vec3 A = gyroscopic(b, Omega);
    return heavy_top ? push(A, 1.0, torque_acceleration(b, Gamma)) : A;
}

/* ---- quaternions ----------------------------------------------------------------------------------------- */

/* From the largest of the four components, so that nothing is lost (Shepperd). */
INLINE quaternion to_quaternion(mat3 R)
{
    const double w = 1.0 + R.xx + R.yy + R.zz, x = 1.0 + R.xx - R.yy - R.zz;
    const double y = 1.0 - R.xx + R.yy - R.zz, z = 1.0 - R.xx - R.yy + R.zz;
    const double largest = larger(larger(w, x), larger(y, z)), f = 0.5 / sqrt(largest);
    if (w == largest) return (quaternion){f * w, f * (R.zy - R.yz), f * (R.xz - R.zx), f * (R.yx - R.xy)};
    if (x == largest) return (quaternion){f * (R.zy - R.yz), f * x, f * (R.xy + R.yx), f * (R.xz + R.zx)};
    if (y == largest) return (quaternion){f * (R.xz - R.zx), f * (R.xy + R.yx), f * y, f * (R.yz + R.zy)};
    return (quaternion){f * (R.yx - R.xy), f * (R.xz + R.zx), f * (R.yz + R.zy), f * z};
}

/* Quadratic in q, hence |q|^2 times a rotation: what the norm loses, the attitude shows. */
INLINE mat3 to_matrix(quaternion q)
{
    const double ww = q.w * q.w, xx = q.x * q.x, yy = q.y * q.y, zz = q.z * q.z;
    const double wx = q.w * q.x, wy = q.w * q.y, wz = q.w * q.z, xy = q.x * q.y, xz = q.x * q.z, yz = q.y * q.z;
    return (mat3){ww + xx - yy - zz, 2.0 * (xy - wz), 2.0 * (xz + wy),
                  2.0 * (xy + wz), ww - xx + yy - zz, 2.0 * (yz - wx),
                  2.0 * (xz - wy), 2.0 * (yz + wx), ww - xx - yy + zz};
}

/* q + s r */
INLINE quaternion add_scaled_quaternion(quaternion q, double s, quaternion r)
{
    return (quaternion){q.w + s * r.w, q.x + s * r.x, q.y + s * r.y, q.z + s * r.z};
}

/* 2 dq/dt = q (0, w) */
INLINE quaternion twice_rate(quaternion q, vec3 w)
{
    return (quaternion){-q.x * w.x - q.y * w.y - q.z * w.z,
                        q.w * w.x + q.y * w.z - q.z * w.y,
                        q.w * w.y + q.z * w.x - q.x * w.z,
                        q.w * w.z + q.x * w.y - q.y * w.x};
}

/* ---- tracking -------------------------------------------------------------------------------------------- */

/* The invariants, in this order: energy, the three components of the spatial momentum pi, |pi|^2, |Pi|^2,
 * |R^T R - 1|_F^2; for the heavy top also Pi . e3 and |Gamma|^2. */
#define INVARIANTS_FREE 7
#define INVARIANTS_TOP 9

INLINE void invariants(const body *b, int heavy_top, mat3 R, vec3 Omega, double *value)
{
    const vec3 Pi = mul(b->J, Omega), pi = mat_vec(R, Pi);
    const double dxx = R.xx * R.xx + R.yx * R.yx + R.zx * R.zx - 1.0;
    const double dyy = R.xy * R.xy + R.yy * R.yy + R.zy * R.zy - 1.0;
    const double dzz = R.xz * R.xz + R.yz * R.yz + R.zz * R.zz - 1.0;
    const double dxy = R.xx * R.xy + R.yx * R.yy + R.zx * R.zy;
    const double dxz = R.xx * R.xz + R.yx * R.yz + R.zx * R.zz;
    const double dyz = R.xy * R.xz + R.yy * R.yz + R.zy * R.zz;
    value[0] = 0.5 * dot(Pi, Omega);
    value[1] = pi.x;
    value[2] = pi.y;
    value[3] = pi.z;
    value[4] = dot(pi, pi);
    value[5] = dot(Pi, Pi);
    value[6] = dxx * dxx + dyy * dyy + dzz * dzz + 2.0 * (dxy * dxy + dxz * dxz + dyz * dyz);
    if (heavy_top) {
        value[0] += b->Mgl * R.zz;
        value[7] = Pi.z;
        value[8] = dot(vertical(R), vertical(R));
    }
}

typedef struct {
    double min[INVARIANTS_TOP], max[INVARIANTS_TOP];
    int64_t every, countdown; /* a row is due when countdown reaches 0 */
    double *row;              /* where the next one goes */
} tracker;

/* The extrema begin with the state that the run starts from. */
INLINE tracker start_tracking(const body *b, int heavy_top, const double *state, int64_t every, double *rows)
{
    tracker t = {.every = every, .countdown = every > 0 ? every : INT64_MAX, .row = rows};
    invariants(b, heavy_top, read_attitude(state), read_velocity(state), t.min);
    for (int i = 0; i < (heavy_top ? INVARIANTS_TOP : INVARIANTS_FREE); ++i) t.max[i] = t.min[i];
    return t;
}

/* After each step. Says whether the energy is still finite. */
INLINE int track(tracker *t, const body *b, int heavy_top, mat3 R, vec3 Omega)
{
    const int count = heavy_top ? INVARIANTS_TOP : INVARIANTS_FREE;
    double value[INVARIANTS_TOP];
    invariants(b, heavy_top, R, Omega, value);
    if (!isfinite(value[0])) return 0;
    for (int i = 0; i < count; ++i) {
        t->min[i] = smaller(value[i], t->min[i]);
        t->max[i] = larger(value[i], t->max[i]);
    }
    if (--t->countdown == 0) {
        t->countdown = t->every;
        write_state(t->row, R, Omega);
        for (int i = 0; i < count; ++i) t->row[12 + i] = value[i];
        t->row += 12 + count;
    }
    return 1;
}

/* extrema[2][count]: minima, then maxima */
INLINE void finish_tracking(const tracker *t, int heavy_top, double *extrema)
{
    const int count = heavy_top ? INVARIANTS_TOP : INVARIANTS_FREE;
    for (int i = 0; i < count; ++i) {
        extrema[i] = t->min[i];
        extrema[count + i] = t->max[i];
    }
}

#endif
