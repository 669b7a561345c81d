// A stand-in for what Jolt's function for the gyroscopic term uses of Jolt, and for Jolt's step of a free
// body without damping. It takes the inverse moments, the rotation of the principal axes, the velocity, the
// step and the number of steps, and prints the rotation and the velocity of the body after each step.

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>

class Vec3 {
  public:
    Vec3(float x, float y, float z) : m{x, y, z} {}
    float GetX() const { return m[0]; }
    float GetY() const { return m[1]; }
    float GetZ() const { return m[2]; }
    float Dot(Vec3 v) const { return m[0] * v.m[0] + m[1] * v.m[1] + m[2] * v.m[2]; }
    float Length() const { return std::sqrt(Dot(*this)); }
    Vec3 Cross(Vec3 v) const {
        return {m[1] * v.m[2] - m[2] * v.m[1], m[2] * v.m[0] - m[0] * v.m[2], m[0] * v.m[1] - m[1] * v.m[0]};
    }
    Vec3 operator-() const { return {-m[0], -m[1], -m[2]}; }
    Vec3 operator+(Vec3 v) const { return {m[0] + v.m[0], m[1] + v.m[1], m[2] + v.m[2]}; }
    Vec3 operator-(Vec3 v) const { return {m[0] - v.m[0], m[1] - v.m[1], m[2] - v.m[2]}; }
    Vec3 &operator+=(Vec3 v) { return *this = *this + v; }
    Vec3 operator*(Vec3 v) const { return {m[0] * v.m[0], m[1] * v.m[1], m[2] * v.m[2]}; }
    friend Vec3 operator*(float k, Vec3 v) { return {k * v.m[0], k * v.m[1], k * v.m[2]}; }

  private:
    float m[3];
};

class Quat {
  public:
    Quat(float x, float y, float z, float w) : v(x, y, z), w(w) {}
    Quat operator*(Quat q) const {
        Vec3 u = w * q.v + q.w * v + v.Cross(q.v);
        return {u.GetX(), u.GetY(), u.GetZ(), w * q.w - v.Dot(q.v)};
    }
    Vec3 operator*(Vec3 a) const { return a + 2.0f * v.Cross(v.Cross(a) + w * a); }
    Vec3 InverseRotate(Vec3 a) const { return a + 2.0f * v.Cross(v.Cross(a) - w * a); }
    Quat Normalized() const {
        float k = 1.0f / std::sqrt(v.Dot(v) + w * w);
        return {k * v.GetX(), k * v.GetY(), k * v.GetZ(), k * w};
    }
    Vec3 v;
    float w;
};

using QuatArg = Quat;

class MotionProperties {
  public:
    void ApplyGyroscopicForceInternal(QuatArg inBodyRotation, float inDeltaTime);
    Vec3 mAngularVelocity, mInvInertiaDiagonal;
    Quat mInertiaRotation;
};

#include "pasted.inl"

int main(int, char **given) {
    auto number = [&](int i) { return float(std::atof(given[i])); };
    MotionProperties body{Vec3(number(8), number(9), number(10)), Vec3(number(1), number(2), number(3)),
        Quat(number(4), number(5), number(6), number(7))};
    Quat rotation(0.0f, 0.0f, 0.0f, 1.0f);
    float h = number(11);
    for (int i = 0; i < std::atoi(given[12]); i++) {
        body.ApplyGyroscopicForceInternal(rotation, h);
        Vec3 turned = h * body.mAngularVelocity;
        float length = turned.Length();
        if (length > 1e-6f) {
            Vec3 v = std::sin(0.5f * length) / length * turned;
            Quat turn(v.GetX(), v.GetY(), v.GetZ(), std::cos(0.5f * length));
            rotation = (turn * rotation).Normalized();
        }
        Vec3 v = rotation.v, omega = body.mAngularVelocity;
        std::printf("%.9g %.9g %.9g %.9g ", rotation.w, v.GetX(), v.GetY(), v.GetZ());
        std::printf("%.9g %.9g %.9g\n", omega.GetX(), omega.GetY(), omega.GetZ());
    }
}
