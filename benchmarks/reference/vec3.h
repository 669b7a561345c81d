/* Vectors and 3x3 matrices by value, rotations, and a 3x3 solve.
 *
 * Everything is a small struct of doubles with named members and is inlined, so that the compiler keeps the
 * numbers in registers. sin and cos come from the C library.
 */
#ifndef POLHODE_REFERENCE_VEC3_H
#define POLHODE_REFERENCE_VEC3_H

#include <math.h>

#define INLINE static inline __attribute__((always_inline))

typedef struct { double x, y, z; } vec3;
typedef struct { double xx, xy, xz, yx, yy, yz, zx, zy, zz; } mat3; /* row by row */

/* ---- vectors ------------------------------------------------------------------------------------------ */

INLINE vec3 vec(double x, double y, double z) { return (vec3){x, y, z}; }
INLINE vec3 add(vec3 a, vec3 b) { return vec(a.x + b.x, a.y + b.y, a.z + b.z); }
INLINE vec3 sub(vec3 a, vec3 b) { return vec(a.x - b.x, a.y - b.y, a.z - b.z); }
INLINE vec3 scale(double s, vec3 a) { return vec(s * a.x, s * a.y, s * a.z); }
INLINE vec3 mul(vec3 a, vec3 b) { return vec(a.x * b.x, a.y * b.y, a.z * b.z); } /* component by component */
INLINE double dot(vec3 a, vec3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }

/* a + s b */
INLINE vec3 add_scaled(vec3 a, double s, vec3 b)
{
    return vec(a.x + s * b.x, a.y + s * b.y, a.z + s * b.z);
}

INLINE vec3 cross(vec3 a, vec3 b)
{
    return vec(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}

/* Plain comparisons, because fmax() has to treat NaN specially and is not one instruction. */
INLINE double larger(double a, double b) { return a > b ? a : b; }
INLINE double smaller(double a, double b) { return a < b ? a : b; }
INLINE double max_abs(vec3 a) { return larger(larger(fabs(a.x), fabs(a.y)), fabs(a.z)); }

/* ---- matrices ----------------------------------------------------------------------------------------- */

/* A v */
INLINE vec3 mat_vec(mat3 A, vec3 v)
{
    return vec(A.xx * v.x + A.xy * v.y + A.xz * v.z,
               A.yx * v.x + A.yy * v.y + A.yz * v.z,
               A.zx * v.x + A.zy * v.y + A.zz * v.z);
}

/* A^T v */
INLINE vec3 mat_t_vec(mat3 A, vec3 v)
{
    return vec(A.xx * v.x + A.yx * v.y + A.zx * v.z,
               A.xy * v.x + A.yy * v.y + A.zy * v.z,
               A.xz * v.x + A.yz * v.y + A.zz * v.z);
}

/* A B */
INLINE mat3 mat_mat(mat3 A, mat3 B)
{
    return (mat3){
        A.xx * B.xx + A.xy * B.yx + A.xz * B.zx,
        A.xx * B.xy + A.xy * B.yy + A.xz * B.zy,
        A.xx * B.xz + A.xy * B.yz + A.xz * B.zz,
        A.yx * B.xx + A.yy * B.yx + A.yz * B.zx,
        A.yx * B.xy + A.yy * B.yy + A.yz * B.zy,
        A.yx * B.xz + A.yy * B.yz + A.yz * B.zz,
        A.zx * B.xx + A.zy * B.yx + A.zz * B.zx,
        A.zx * B.xy + A.zy * B.yy + A.zz * B.zy,
        A.zx * B.xz + A.zy * B.yz + A.zz * B.zz,
    };
}

/* K^-1 r by cofactors: one division, no branch */
INLINE vec3 solve(mat3 K, vec3 r)
{
    const double cxx = K.yy * K.zz - K.yz * K.zy;
    const double cyx = K.yz * K.zx - K.yx * K.zz;
    const double czx = K.yx * K.zy - K.yy * K.zx;
    const double cxy = K.xz * K.zy - K.xy * K.zz;
    const double cyy = K.xx * K.zz - K.xz * K.zx;
    const double czy = K.xy * K.zx - K.xx * K.zy;
    const double cxz = K.xy * K.yz - K.xz * K.yy;
    const double cyz = K.xz * K.yx - K.xx * K.yz;
    const double czz = K.xx * K.yy - K.xy * K.yx;
    const double f = 1.0 / (K.xx * cxx + (K.xy * cyx + K.xz * czx));
    return vec(f * (cxx * r.x + cxy * r.y + cxz * r.z),
               f * (cyx * r.x + cyy * r.y + cyz * r.z),
               f * (czx * r.x + czy * r.y + czz * r.z));
}

/* ---- rotations ---------------------------------------------------------------------------------------- */

/* 1 + c1 hat(v) + c2 hat(v)^2 */
INLINE mat3 rodrigues(vec3 v, double c1, double c2)
{
    const double xx = c2 * v.x * v.x, yy = c2 * v.y * v.y, zz = c2 * v.z * v.z;
    const double xy = c2 * v.x * v.y, xz = c2 * v.x * v.z, yz = c2 * v.y * v.z;
    const double x = c1 * v.x, y = c1 * v.y, z = c1 * v.z;
    return (mat3){1.0 - (yy + zz), xy - z, xz + y,
                  xy + z, 1.0 - (xx + zz), yz - x,
                  xz - y, yz + x, 1.0 - (xx + yy)};
}

/* sinc = sin(t/2)/(t/2) and cosine = cos(t/2) of a rotation by t, from t2 = t^2 */
INLINE void half_angle(double t2, double *sinc, double *cosine)
{
    if (t2 < 1e-12) { /* two terms are exact to roundoff here */
        *sinc = 1.0 - t2 / 24.0;
        *cosine = 1.0 - t2 / 8.0;
    } else {
        const double half = 0.5 * sqrt(t2), inverse = 1.0 / half; /* need not wait for the sine */
        double sine;
        sincos(half, &sine, cosine);
        *sinc = sine * inverse;
    }
}

/* exp(v): c1 = sin t/t = sinc cos(t/2), c2 = (1 - cos t)/t^2 = sinc^2/2, the latter without cancellation */
INLINE mat3 rotation_exp(vec3 v)
{
    double sinc, cosine;
    half_angle(dot(v, v), &sinc, &cosine);
    return rodrigues(v, sinc * cosine, 0.5 * sinc * sinc);
}

/* dexpinv(-v) w = w + v x w/2 + c4 v x (v x w) */
INLINE vec3 dexpinv_minus(vec3 v, double c4, vec3 w)
{
    const vec3 v_w = cross(v, w);
    return add_scaled(add_scaled(w, 0.5, v_w), c4, cross(v, v_w));
}

/* c1 and c2 of exp(v) and, from the same angle, c4 = (1 - (t/2) cot(t/2))/t^2, by its series where that cancels */
INLINE void exp_coefficients(vec3 v, double *c1, double *c2, double *c4)
{
    const double t2 = dot(v, v);
    double sinc, cosine;
    half_angle(t2, &sinc, &cosine);
    *c1 = sinc * cosine;
    *c2 = 0.5 * sinc * sinc;
    if (t2 < 0.09)
        *c4 = 1.0 / 12 + t2 * (1.0 / 720 + t2 * (1.0 / 30240 + t2 * (1.0 / 1209600
              + t2 * (1.0 / 47900160 + t2 * (691.0 / 1307674368000)))));
    else
        *c4 = (sinc - cosine) / (sinc * t2);
}

/* exp(v)^T p, which is cheaper than to make the matrix if there is only one p */
INLINE vec3 turn_back(vec3 v, double c1, double c2, vec3 p)
{
    const vec3 v_p = cross(v, p);
    return add_scaled(add_scaled(p, -c1, v_p), c2, cross(v, v_p));
}

/* cay(v) = (1 - hat(v)/2)^-1 (1 + hat(v)/2) */
INLINE mat3 rotation_cay(vec3 v)
{
    const double k = 1.0 / (1.0 + 0.25 * dot(v, v));
    return rodrigues(v, k, 0.5 * k);
}

/* R := R Q and P := Q^T P, where Q turns by `angle` about the body axis x, y or z */
INLINE void turn_x(mat3 *R, vec3 *P, double angle)
{
    double s, c;
    sincos(angle, &s, &c);
    *P = vec(P->x, c * P->y + s * P->z, c * P->z - s * P->y);
    *R = (mat3){R->xx, c * R->xy + s * R->xz, c * R->xz - s * R->xy,
                R->yx, c * R->yy + s * R->yz, c * R->yz - s * R->yy,
                R->zx, c * R->zy + s * R->zz, c * R->zz - s * R->zy};
}

INLINE void turn_y(mat3 *R, vec3 *P, double angle)
{
    double s, c;
    sincos(angle, &s, &c);
    *P = vec(c * P->x - s * P->z, P->y, c * P->z + s * P->x);
    *R = (mat3){c * R->xx - s * R->xz, R->xy, c * R->xz + s * R->xx,
                c * R->yx - s * R->yz, R->yy, c * R->yz + s * R->yx,
                c * R->zx - s * R->zz, R->zy, c * R->zz + s * R->zx};
}

INLINE void turn_z(mat3 *R, vec3 *P, double angle)
{
    double s, c;
    sincos(angle, &s, &c);
    *P = vec(c * P->x + s * P->y, c * P->y - s * P->x, P->z);
    *R = (mat3){c * R->xx + s * R->xy, c * R->xy - s * R->xx, R->xz,
                c * R->yx + s * R->yy, c * R->yy - s * R->yx, R->yz,
                c * R->zx + s * R->zy, c * R->zy - s * R->zx, R->zz};
}

/* About x, y, z, y, x, each by rate_i P_i with the P of that moment, about z by twice that. */
INLINE void turn_xyzyx(mat3 *R, vec3 *P, vec3 rate)
{
    turn_x(R, P, rate.x * P->x);
    turn_y(R, P, rate.y * P->y);
    turn_z(R, P, 2.0 * rate.z * P->z);
    turn_y(R, P, rate.y * P->y);
    turn_x(R, P, rate.x * P->x);
}

#endif
