// A free body in Jolt, with its function for the gyroscopic term, for `python -m benchmarks.shapes`: the moments, the
// rotation of the principal axes (its scalar last), the velocity in space, the step and the number of steps. It
// prints the rotation (its scalar first) and the velocity after each step.

#include <Jolt/Jolt.h>

#include <Jolt/Core/Factory.h>
#include <Jolt/Core/JobSystemSingleThreaded.h>
#include <Jolt/Core/TempAllocator.h>
#include <Jolt/Physics/Body/BodyCreationSettings.h>
#include <Jolt/Physics/Collision/BroadPhase/BroadPhaseLayerInterfaceTable.h>
#include <Jolt/Physics/Collision/BroadPhase/ObjectVsBroadPhaseLayerFilterTable.h>
#include <Jolt/Physics/Collision/ObjectLayerPairFilterTable.h>
#include <Jolt/Physics/Collision/Shape/BoxShape.h>
#include <Jolt/Physics/PhysicsSystem.h>
#include <Jolt/RegisterTypes.h>

#include <cstdio>
#include <cstdlib>

using namespace JPH;

int main(int, char **given) {
    auto number = [&](int i) { return float(std::atof(given[i])); };
    RegisterDefaultAllocator();
    Factory::sInstance = new Factory;
    RegisterTypes();
    ObjectLayerPairFilterTable pairs(1);
    BroadPhaseLayerInterfaceTable layers(1, 1);
    layers.MapObjectToBroadPhaseLayer(0, BroadPhaseLayer(0));
    ObjectVsBroadPhaseLayerFilterTable filter(layers, 1, pairs, 1);
    TempAllocatorMalloc memory;
    JobSystemSingleThreaded jobs(cMaxPhysicsJobs);
    PhysicsSystem system;
    system.Init(1, 0, 1, 1, layers, filter, pairs);
    system.SetGravity(Vec3::sZero());

    BodyCreationSettings made(new BoxShape(Vec3::sReplicate(0.5f)), RVec3::sZero(), Quat::sIdentity(),
        EMotionType::Dynamic, 0);
    made.mApplyGyroscopicForce = true;
    made.mAllowSleeping = false;
    made.mLinearDamping = made.mAngularDamping = 0.0f;
    made.mMaxAngularVelocity = 1e6f;
    made.mOverrideMassProperties = EOverrideMassProperties::MassAndInertiaProvided;
    made.mMassPropertiesOverride.mMass = 1.0f;
    Mat44 axes = Mat44::sRotation(Quat(number(4), number(5), number(6), number(7)).Normalized());
    Mat44 moments = Mat44::sScale(Vec3(number(1), number(2), number(3)));
    made.mMassPropertiesOverride.mInertia = axes.Multiply3x3(moments.Multiply3x3RightTransposed(axes));
    BodyInterface &bodies = system.GetBodyInterfaceNoLock();
    BodyID id = bodies.CreateAndAddBody(made, EActivation::Activate);
    bodies.SetAngularVelocity(id, Vec3(number(8), number(9), number(10)));
    for (int i = 0; i < std::atoi(given[12]); i++) {
        system.Update(number(11), 1, &memory, &jobs);
        Quat q = bodies.GetRotation(id);
        Vec3 w = bodies.GetAngularVelocity(id);
        std::printf("%.9g %.9g %.9g %.9g ", q.GetW(), q.GetX(), q.GetY(), q.GetZ());
        std::printf("%.9g %.9g %.9g\n", w.GetX(), w.GetY(), w.GetZ());
    }
}
