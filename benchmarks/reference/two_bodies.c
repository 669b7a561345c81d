/* LGVI for two dumbbells, written by hand: what the engine's speed with two bodies is measured against.
 *
 * The relative Hamiltonian form of Lee, Leok and McClamroch (2007), as a plain C loop with what a C programmer would see
 * exploited: diagonal inertia, dumbbells on their first axes, the last force of a step is the first of the next. Two
 * functions that differ in how they solve F Jd - Jd F^T = hat(h P), by Newton's method in the coordinates of exp or of
 * the Cayley map:
 *
 *   int lgvi_exp(double *state, const double *params, double h, int64_t n);
 *   int lgvi_cayley(double *state, const double *params, double h, int64_t n);
 *
 *   state[36]    R1, R2 (body to space, row by row), Omega1, Omega2 (body), x1, x2, v1, v2 (space); on entry and return
 *   params[11]   m1, m2, the principal moments J1 and J2, G m1 m2/4, l1/2, l2/2
 *
 * They take n steps of size h and return 0, or 1 when a step has no solution (state: before that step).
 */
#define _GNU_SOURCE /* sincos */
#include "body.h"
#include "vec3.h"

typedef struct { vec3 force, moment; } gravity; /* dU/dX and M, seen from body 2 */

INLINE mat3 read_matrix(const double *at)
{
    return (mat3){at[0], at[1], at[2], at[3], at[4], at[5], at[6], at[7], at[8]};
}

INLINE void write_matrix(double *at, mat3 A)
{
    at[0] = A.xx, at[1] = A.xy, at[2] = A.xz;
    at[3] = A.yx, at[4] = A.yy, at[5] = A.yz;
    at[6] = A.zx, at[7] = A.zy, at[8] = A.zz;
}

INLINE vec3 read_vector(const double *at) { return vec(at[0], at[1], at[2]); }
INLINE void write_vector(double *at, vec3 v) { at[0] = v.x, at[1] = v.y, at[2] = v.z; }

/* A^T B */
INLINE mat3 mat_t_mat(mat3 A, mat3 B)
{
    const mat3 T = {A.xx, A.yx, A.zx, A.xy, A.yy, A.zy, A.xz, A.yz, A.zz};
    return mat_mat(T, B);
}

/* k d/|d|^3 */
INLINE vec3 pull(double k, vec3 d)
{
    const double square = dot(d, d);
    return scale(k / (square * sqrt(square)), d);
}

INLINE gravity dumbbells(vec3 X, mat3 R, double k, double half1, double half2)
{
    const vec3 a = scale(half1, vec(R.xx, R.yx, R.zx)), b = vec(half2, 0.0, 0.0);
    const vec3 forwards = add(X, a), backwards = sub(X, a);
    const vec3 f1 = add(pull(k, sub(forwards, b)), pull(k, add(forwards, b)));
    const vec3 f2 = add(pull(k, sub(backwards, b)), pull(k, add(backwards, b)));
    return (gravity){add(f1, f2), cross(a, sub(f1, f2))};
}

INLINE void add_outer(mat3 *K, vec3 a, vec3 b)
{
    K->xx += a.x * b.x, K->xy += a.x * b.y, K->xz += a.x * b.z;
    K->yx += a.y * b.x, K->yy += a.y * b.y, K->yz += a.y * b.z;
    K->zx += a.z * b.x, K->zy += a.z * b.y, K->zz += a.z * b.z;
}

/* F = exp(f), where c1 J f + c2 f x J f = h P, from f = h J^-1 P on; the tangent as for DMV in methods.inc */
INLINE int turn_exp(const body *b, double h, vec3 P, mat3 *F)
{
    const vec3 target = scale(h, mul(b->J_inv, P));
    vec3 f = target, change;
    int iteration = 0;
    do {
        const double t2 = dot(f, f);
        double sinc, cosine, b1 = -1.0 / 3.0, b2 = -1.0 / 12.0;
        half_angle(t2, &sinc, &cosine);
        const double c1 = sinc * cosine, c2 = 0.5 * sinc * sinc;
        if (t2 >= 1e-12) { /* what cancels here is too small to matter in a tangent */
            const double inverse = 1.0 / t2;
            b1 = inverse * (1.0 - t2 * c2 - c1);
            b2 = inverse * (c1 - 2.0 * c2);
        }
        const vec3 g = gyroscopic(b, f); /* J^-1 (J f x f) */
        mat3 K = gyroscopic_tangent(b, c1, c2, f);
        add_outer(&K, sub(scale(b1, f), scale(b2, g)), f);
        change = solve(K, sub(sub(scale(c1, f), scale(c2, g)), target));
        f = sub(f, change);
    } while (!converged(change, f) && ++iteration < NEWTON_CAP);
    *F = rotation_exp(f);
    return iteration < NEWTON_CAP && dot(f, f) <= 0.25 * M_PI * M_PI;
}

/* F = cay(f), where J f - g - g x f/2 - (g.f) f/4 = 0 for g = h P, from f = J^-1 g on */
INLINE int turn_cayley(const body *b, double h, vec3 P, mat3 *F)
{
    const vec3 g = scale(h, P);
    vec3 f = mul(b->J_inv, g), change;
    int iteration = 0;
    do {
        const double along = 0.25 * dot(g, f);
        const vec3 residual = sub(sub(sub(mul(b->J, f), g), scale(0.5, cross(g, f))), scale(along, f));
        mat3 K = {b->J.x - along, 0.5 * g.z, -0.5 * g.y,
                  -0.5 * g.z, b->J.y - along, 0.5 * g.x,
                  0.5 * g.y, -0.5 * g.x, b->J.z - along};
        add_outer(&K, scale(-0.25, f), g);
        change = solve(K, residual);
        f = sub(f, change);
    } while (!converged(change, f) && ++iteration < NEWTON_CAP);
    *F = rotation_cay(f);
    return iteration < NEWTON_CAP && dot(f, f) <= 4.0;
}

INLINE body body_with(const double *J)
{
    const double params[4] = {J[0], J[1], J[2], 0.0};
    return read_body(params);
}

#define LGVI(name, turn)                                                                                              \
    int name(double *state, const double *params, double h, int64_t n)                                                \
    {                                                                                                                 \
        const double m1 = params[0], m2 = params[1], m = m1 * m2 / (m1 + m2);                                         \
        const double k = params[8], half1 = params[9], half2 = params[10];                                            \
        const body b1 = body_with(params + 2), b2 = body_with(params + 5);                                            \
        const mat3 R1 = read_matrix(state);                                                                           \
        mat3 R2 = read_matrix(state + 9), R = mat_t_mat(R2, R1);                                                      \
        vec3 P = mat_vec(R, mul(b1.J, read_vector(state + 18))), P2 = mul(b2.J, read_vector(state + 21));             \
        vec3 x2 = read_vector(state + 27), p2 = scale(m2, read_vector(state + 33));                                   \
        vec3 X = mat_t_vec(R2, sub(read_vector(state + 24), x2));                                                     \
        vec3 G = scale(m, mat_t_vec(R2, sub(read_vector(state + 30), read_vector(state + 33))));                      \
        gravity g = dumbbells(X, R, k, half1, half2);                                                                 \
        int status = DONE;                                                                                            \
        for (int64_t i = 0; i < n; ++i) {                                                                             \
            const vec3 G_plus = add_scaled(G, -0.5 * h, g.force), P_plus = add_scaled(P, -0.5 * h, g.moment);         \
            const vec3 P2_plus = add_scaled(P2, 0.5 * h, add(cross(X, g.force), g.moment));                           \
            const vec3 p2_plus = add_scaled(p2, 0.5 * h, mat_vec(R2, g.force));                                       \
            mat3 F1, F2;                                                                                              \
            if (!turn(&b1, h, mat_t_vec(R, P_plus), &F1) || !turn(&b2, h, P2_plus, &F2)) {                            \
                status = NO_SOLUTION;                                                                                 \
                break;                                                                                                \
            }                                                                                                         \
            X = mat_t_vec(F2, add_scaled(X, h / m, G_plus));                                                          \
            x2 = add_scaled(x2, h / m2, p2_plus);                                                                     \
            R = mat_t_mat(F2, mat_mat(R, F1));                                                                        \
            R2 = mat_mat(R2, F2);                                                                                     \
            g = dumbbells(X, R, k, half1, half2);                                                                     \
            G = add_scaled(mat_t_vec(F2, G_plus), -0.5 * h, g.force);                                                 \
            P = add_scaled(mat_t_vec(F2, P_plus), -0.5 * h, g.moment);                                                \
            P2 = add_scaled(mat_t_vec(F2, P2_plus), 0.5 * h, add(cross(X, g.force), g.moment));                       \
            p2 = add_scaled(p2_plus, 0.5 * h, mat_vec(R2, g.force));                                                  \
        }                                                                                                             \
        const vec3 v2 = scale(1.0 / m2, p2);                                                                          \
        write_matrix(state, mat_mat(R2, R));                                                                          \
        write_matrix(state + 9, R2);                                                                                  \
        write_vector(state + 18, mul(b1.J_inv, mat_t_vec(R, P)));                                                     \
        write_vector(state + 21, mul(b2.J_inv, P2));                                                                  \
        write_vector(state + 24, add(x2, mat_vec(R2, X)));                                                            \
        write_vector(state + 27, x2);                                                                                 \
        write_vector(state + 30, add(v2, mat_vec(R2, scale(1.0 / m, G))));                                            \
        write_vector(state + 33, v2);                                                                                 \
        return status;                                                                                                \
    }

LGVI(lgvi_exp, turn_exp)
LGVI(lgvi_cayley, turn_cayley)
