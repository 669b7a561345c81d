// Check cases for rotating rigid bodies: bodies, states and bounds of CSV files. CC0 1.0.
#pragma once
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>
namespace polhode {
using Matrix = std::array<double, 9>;  // by rows
struct State {  // R turns body to space, q is (w, x, y, z), Omega is in the body's frame, pi in space
    Matrix R;
    std::array<double, 4> q;
    std::array<double, 3> Omega, pi;
    double t, attitude_error, momentum_error;
    template <class F> void pass(F f) { f(t), f(R), f(q), f(Omega), f(pi), f(attitude_error), f(momentum_error); }
};
struct Case {  // a body; weight and orbital_rate are 0 where they do not act
    std::string name;
    Matrix J;
    std::array<double, 3> weight;
    double orbital_rate;
    template <class F> void pass(F f) { f(name), f(J), f(weight), f(orbital_rate); }
};
struct Order {  // what a method of an order reaches at the end
    std::string name, method;
    int order, steps;
    double dt, attitude_error, bound;
    template <class F> void pass(F f) { f(name), f(order), f(method), f(steps), f(dt), f(attitude_error), f(bound); }
};
template <std::size_t n> std::istream& operator>>(std::istream& row, std::array<double, n>& values) {
    for (double& value : values) row >> value;
    return row;
}
template <class Row = State> std::vector<Row> read(const std::string& path) {  // the rows of a file
    std::ifstream file(path);
    if (!file) std::fprintf(stderr, "cannot open %s\n", path.c_str()), std::abort();
    std::vector<Row> rows;
    std::string line;
    for (std::getline(file, line); std::getline(file, line);) {
        for (char& one : line) one = one == ',' ? ' ' : one;
        std::istringstream row(line);
        rows.emplace_back().pass([&](auto& value) { row >> value; });
        if (!row) std::fprintf(stderr, "cannot read a row of %s\n", path.c_str()), std::abort();
    }
    return rows;
}
inline double angle(const Matrix& A, const Matrix& B) {  // in rad; infinite if one is no rotation
    double square = 0.0, off = 0.0;
    for (int k = 0; k < 9; ++k) square += (A[k] - B[k]) * (A[k] - B[k]);
    for (const Matrix& R : {A, B}) {  // a rotation is its own matrix of cofactors
        auto at = [&](int k, int i, int j) { return R[(k / 3 + i) % 3 * 3 + (k + j) % 3]; };
        off += std::fabs(R[0] * R[0] + R[1] * R[1] + R[2] * R[2] - 1.0);
        for (int k = 0; k < 9; ++k) off += std::fabs(at(k, 1, 1) * at(k, 2, 2) - at(k, 1, 2) * at(k, 2, 1) - R[k]);
    }
    return off < 1e-5 ? 2.0 * std::asin(std::fmin(1.0, std::sqrt(square / 8.0))) : INFINITY;
}
}  // namespace polhode
