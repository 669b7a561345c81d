// Check cases for rotating rigid bodies: states of a CSV file. CC0 1.0.
#pragma once

#include <array>
#include <cmath>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace polhode {

// R by rows, body to space; q is (w, x, y, z); Omega in the body's frame, pi the momentum in space.
struct State {
    double t;
    std::array<double, 9> R;
    std::array<double, 4> q;
    std::array<double, 3> Omega, pi;
    double attitude_error, momentum_error;
};

template <class T> void take(std::istream& row, T& values) {
    for (double& value : values) {
        std::string cell;
        if (!std::getline(row, cell, ',')) throw std::runtime_error("a row is too short");
        value = std::stod(cell);
    }
}

// The states of a case, the first of which is the start.
inline std::vector<State> read(const std::string& path) {
    std::ifstream file(path);
    if (!file) throw std::runtime_error("cannot open " + path);
    std::vector<State> states;
    std::string line;
    std::getline(file, line);
    while (std::getline(file, line)) {
        std::istringstream row(line);
        State state{};
        std::array<double, 1> t{};
        std::array<double, 2> errors{};
        take(row, t), take(row, state.R), take(row, state.q);
        take(row, state.Omega), take(row, state.pi), take(row, errors);
        state.t = t[0], state.attitude_error = errors[0], state.momentum_error = errors[1];
        states.push_back(state);
    }
    return states;
}

// The angle in rad between two attitudes.
inline double angle(const std::array<double, 9>& A, const std::array<double, 9>& B) {
    double square = 0.0;
    for (std::size_t i = 0; i < 9; ++i) square += (A[i] - B[i]) * (A[i] - B[i]);
    return 2.0 * std::asin(std::fmin(1.0, std::sqrt(square / 8.0)));
}

}  // namespace polhode
