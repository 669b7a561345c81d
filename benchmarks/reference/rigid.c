/* Polhode's C reference: fourteen time integrators of a rotating rigid body, written by hand.
 *
 * This is what the engine's speed is measured against: each method as a plain C loop, with what a C programmer
 * would see exploited (the inertia is diagonal, the torque is known, the last torque of a step is the first of
 * the next) and nothing beyond. The methods themselves are in methods.inc, once; this file makes the variants.
 *
 * For every method and for both problems, `free` (no torque) and `top` (a heavy top), there are two functions:
 *
 *   int <method>_<problem>(double *state, const double *params, double h, int64_t n);
 *   int <method>_<problem>_tracked(double *state, const double *params, double h, int64_t n,
 *                                  int64_t every, double *rows, double *extrema);
 *
 * with the methods mr2, mr4, nmb, akw, sw, dmv, rkmk, rk4_quat, restored, newton_1, linear_euler, hirota_kimura,
 * spherical_midpoint, touma_wisdom. They take n steps of size h.
 *
 *   state[12]    R (body to space, row by row) and the body angular velocity Omega, on entry and on return
 *   params[4]    J1, J2, J3, Mgl
 *   rows         every `every`-th step (none if every <= 0): R, Omega, the invariants; room for n / every rows
 *   extrema      [2][m]: minima and maxima of the m invariants (7 free, 9 top; in the order given in body.h)
 *                over the initial state and all steps
 *
 * They return 0 when done, 1 when a step has no solution (state: before that step), and the tracked ones 2 when
 * the energy is no longer finite (state: after that step). What a method carries besides R and Omega is made at
 * the start of the call, the acceleration A from the balance J A = g(Omega) + T.
 *
 * Conventions: dR/dt = R hat(Omega), Pi = J Omega, J dOmega/dt = J Omega x Omega + T.
 */
#define _GNU_SOURCE /* sincos */
#include "body.h"
#include "vec3.h"

#define HEAVY_TOP 0
#define TRACKED 0
#define FUNCTION(method) method##_free
#include "methods.inc"

#define HEAVY_TOP 1
#define TRACKED 0
#define FUNCTION(method) method##_top
#include "methods.inc"

#define HEAVY_TOP 0
#define TRACKED 1
#define FUNCTION(method) method##_free_tracked
#include "methods.inc"

#define HEAVY_TOP 1
#define TRACKED 1
#define FUNCTION(method) method##_top_tracked
#include "methods.inc"
