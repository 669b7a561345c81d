// A stand-in for what a script of Godot in C# uses, and for Godot's step of a free body without damping. It
// takes the inverse moments, the rotation of the principal axes, the velocity, the step and the number of
// steps, and prints the rotation and the velocity of the body after each step.

using System;
using System.Globalization;
using System.Linq;
using Godot;

namespace Godot {
    public struct Vector3 {
        public float X, Y, Z;
        public Vector3(float x, float y, float z) { X = x; Y = y; Z = z; }
        public float Dot(Vector3 b) { return X * b.X + Y * b.Y + Z * b.Z; }
        public float Length() { return (float)Math.Sqrt(Dot(this)); }
        public Vector3 Cross(Vector3 b) { return new Vector3(Y * b.Z - Z * b.Y, Z * b.X - X * b.Z, X * b.Y - Y * b.X); }
        public static Vector3 operator -(Vector3 a) { return new Vector3(-a.X, -a.Y, -a.Z); }
        public static Vector3 operator +(Vector3 a, Vector3 b) { return new Vector3(a.X + b.X, a.Y + b.Y, a.Z + b.Z); }
        public static Vector3 operator -(Vector3 a, Vector3 b) { return new Vector3(a.X - b.X, a.Y - b.Y, a.Z - b.Z); }
        public static Vector3 operator *(Vector3 a, Vector3 b) { return new Vector3(a.X * b.X, a.Y * b.Y, a.Z * b.Z); }
        public static Vector3 operator *(float k, Vector3 a) { return new Vector3(k * a.X, k * a.Y, k * a.Z); }
    }

    public struct Basis {
        public Vector3 X, Y, Z;
        public Basis(Vector3 x, Vector3 y, Vector3 z) { X = x; Y = y; Z = z; }
        public Basis Transposed() {
            return new Basis(new Vector3(X.X, Y.X, Z.X), new Vector3(X.Y, Y.Y, Z.Y), new Vector3(X.Z, Y.Z, Z.Z));
        }
        public static Vector3 operator *(Basis m, Vector3 v) { return v.X * m.X + v.Y * m.Y + v.Z * m.Z; }
    }

    public class PhysicsDirectBodyState3D {
        public Basis PrincipalInertiaAxes { get; set; }
        public Vector3 InverseInertia { get; set; }
        public Vector3 AngularVelocity { get; set; }
        public float Step { get; set; }
    }

    public class RigidBody3D {
        public virtual void _IntegrateForces(PhysicsDirectBodyState3D state) { }
    }
}

static class Project {
    // The quaternion's scalar is last.
    static float[] Multiply(float[] a, float[] b) {
        var v = new Vector3(a[0], a[1], a[2]);
        var w = new Vector3(b[0], b[1], b[2]);
        Vector3 u = a[3] * w + b[3] * v + v.Cross(w);
        return new[] { u.X, u.Y, u.Z, a[3] * b[3] - v.Dot(w) };
    }

    static Vector3 Rotate(float[] q, float x, float y, float z) {
        var v = new Vector3(q[0], q[1], q[2]);
        var a = new Vector3(x, y, z);
        return a + 2f * v.Cross(v.Cross(a) + q[3] * a);
    }

    static void Main(string[] given) {
        CultureInfo.CurrentCulture = CultureInfo.InvariantCulture;
        float[] n = given.Select(float.Parse).ToArray();
        var state = new PhysicsDirectBodyState3D {
            InverseInertia = new Vector3(n[0], n[1], n[2]), AngularVelocity = new Vector3(n[7], n[8], n[9]), Step = n[10]
        };
        var script = new GyroscopicBody();
        var q = new[] { 0f, 0f, 0f, 1f };
        for (int i = 0; i < n[11]; i++) {
            float[] axes = Multiply(q, new[] { n[3], n[4], n[5], n[6] });
            state.PrincipalInertiaAxes = new Basis(Rotate(axes, 1f, 0f, 0f), Rotate(axes, 0f, 1f, 0f), Rotate(axes, 0f, 0f, 1f));
            script._IntegrateForces(state);
            Vector3 omega = state.AngularVelocity;
            float angle = n[10] * omega.Length();
            Vector3 v = (float)Math.Sin(0.5f * angle) / omega.Length() * omega;
            q = Multiply(new[] { v.X, v.Y, v.Z, (float)Math.Cos(0.5f * angle) }, q);
            float k = 1f / (float)Math.Sqrt(q.Sum(x => x * x));
            q = q.Select(x => k * x).ToArray();
            Console.WriteLine("{0:R} {1:R} {2:R} {3:R} {4:R} {5:R} {6:R}", q[3], q[0], q[1], q[2], omega.X, omega.Y, omega.Z);
        }
    }
}
