// A free body by Simbody's Verlet: `simbody STEP STEPS ACCURACY J1 J2 J3 W1 W2 W3` prints at each step R by
// rows, then the angular velocity in the body's frame; see engine_runs.py.

#include <cstdio>
#include <cstdlib>

#include "Simbody.h"

using namespace SimTK;

int main(int, char** words) {
    const Real step = std::atof(words[1]);
    const int steps = std::atoi(words[2]);
    const Real accuracy = std::atof(words[3]);
    const Inertia moments(std::atof(words[4]), std::atof(words[5]), std::atof(words[6]));
    const Vec3 velocity(std::atof(words[7]), std::atof(words[8]), std::atof(words[9]));

    MultibodySystem system;
    SimbodyMatterSubsystem matter(system);
    const Body::Rigid body(MassProperties(1.0, Vec3(0), moments));
    MobilizedBody::Ball joint(matter.Ground(), Transform(), body, Transform());
    State state = system.realizeTopology();
    joint.setU(state, velocity);

    VerletIntegrator integrator(system, step);
    if (accuracy > 0) {
        integrator.setAccuracy(accuracy);
    }
    TimeStepper stepper(system, integrator);
    stepper.initialize(state);
    for (int n = 0; n <= steps; ++n) {
        stepper.stepTo(step * n);
        const State& now = integrator.getState();
        system.realize(now, Stage::Velocity);
        const Rotation& R = joint.getBodyRotation(now);
        const Vec3 spin = ~R * joint.getBodyAngularVelocity(now);
        for (int i = 0; i < 3; ++i) {
            std::printf("%.17g %.17g %.17g ", R[i][0], R[i][1], R[i][2]);
        }
        std::printf("%.17g %.17g %.17g\n", spin[0], spin[1], spin[2]);
    }
}
