// A stand-in for what a script of Unity uses, and for Unity's step of a free body: it damps the velocity, caps
// it, and turns the body by it. It takes the moments, the rotation of the principal axes, the velocity, the
// step and the number of steps, and prints the rotation and the velocity of the body after each step.

using System;
using System.Globalization;
using System.Linq;
using System.Reflection;
using UnityEngine;

namespace UnityEngine {
    public struct Vector3 {
        public float x, y, z;
        public Vector3(float x, float y, float z) { this.x = x; this.y = y; this.z = z; }
        public float magnitude { get { return (float)Math.Sqrt(Dot(this, this)); } }
        public static float Dot(Vector3 a, Vector3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
        public static Vector3 Cross(Vector3 a, Vector3 b) {
            return new Vector3(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
        }
        public static Vector3 Scale(Vector3 a, Vector3 b) { return new Vector3(a.x * b.x, a.y * b.y, a.z * b.z); }
        public static Vector3 operator -(Vector3 a) { return new Vector3(-a.x, -a.y, -a.z); }
        public static Vector3 operator +(Vector3 a, Vector3 b) { return new Vector3(a.x + b.x, a.y + b.y, a.z + b.z); }
        public static Vector3 operator -(Vector3 a, Vector3 b) { return new Vector3(a.x - b.x, a.y - b.y, a.z - b.z); }
        public static Vector3 operator *(float k, Vector3 a) { return new Vector3(k * a.x, k * a.y, k * a.z); }
    }

    public struct Quaternion {
        public float x, y, z, w;
        public Quaternion(float x, float y, float z, float w) { this.x = x; this.y = y; this.z = z; this.w = w; }
        Vector3 vector { get { return new Vector3(x, y, z); } }
        public static Quaternion Inverse(Quaternion q) { return new Quaternion(-q.x, -q.y, -q.z, q.w); }
        public static Quaternion operator *(Quaternion a, Quaternion b) {
            Vector3 v = a.w * b.vector + b.w * a.vector + Vector3.Cross(a.vector, b.vector);
            return new Quaternion(v.x, v.y, v.z, a.w * b.w - Vector3.Dot(a.vector, b.vector));
        }
        public static Vector3 operator *(Quaternion q, Vector3 a) {
            return a + 2f * Vector3.Cross(q.vector, Vector3.Cross(q.vector, a) + q.w * a);
        }
        public Quaternion normalized {
            get {
                float k = 1f / (float)Math.Sqrt(Vector3.Dot(vector, vector) + w * w);
                return new Quaternion(k * x, k * y, k * z, k * w);
            }
        }
    }

    public static class Time { public static float fixedDeltaTime; }

    public sealed class RequireComponent : Attribute { public RequireComponent(Type kind) { } }

    public class MonoBehaviour {
        public Rigidbody attached;
        public T GetComponent<T>() where T : class { return attached as T; }
    }

    public sealed class Rigidbody {
        public bool isKinematic = false;
        public Quaternion rotation = new Quaternion(0f, 0f, 0f, 1f), inertiaTensorRotation;
        public Vector3 inertiaTensor, angularVelocity;
        public float angularDrag = 0f, maxAngularVelocity = 100f;

        public void Simulate(float h) {
            angularVelocity = (1f - h * angularDrag) * angularVelocity;
            float speed = angularVelocity.magnitude;
            if (speed > maxAngularVelocity) {
                angularVelocity = maxAngularVelocity / speed * angularVelocity;
            }
            float angle = h * angularVelocity.magnitude;
            if (angle > 0f) {
                Vector3 v = (float)Math.Sin(0.5f * angle) / angularVelocity.magnitude * angularVelocity;
                rotation = (new Quaternion(v.x, v.y, v.z, (float)Math.Cos(0.5f * angle)) * rotation).normalized;
            }
        }
    }
}

static class Project {
    static void Main(string[] given) {
        CultureInfo.CurrentCulture = CultureInfo.InvariantCulture;
        float[] n = given.Select(float.Parse).ToArray();
        var body = new Rigidbody {
            inertiaTensor = new Vector3(n[0], n[1], n[2]),
            inertiaTensorRotation = new Quaternion(n[3], n[4], n[5], n[6]),
            angularVelocity = new Vector3(n[7], n[8], n[9])
        };
        var script = new GyroscopicTerm { attached = body };
        MethodInfo update = script.GetType().GetMethod("FixedUpdate", BindingFlags.Instance | BindingFlags.NonPublic);
        Time.fixedDeltaTime = n[10];
        for (int i = 0; i < n[11]; i++) {
            update.Invoke(script, null);
            body.Simulate(n[10]);
            Quaternion q = body.rotation;
            Vector3 omega = body.angularVelocity;
            Console.WriteLine("{0:R} {1:R} {2:R} {3:R} {4:R} {5:R} {6:R}", q.w, q.x, q.y, q.z, omega.x, omega.y, omega.z);
        }
    }
}
