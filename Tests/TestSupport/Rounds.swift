// SPDX-License-Identifier: MIT

internal import TaplineSystem

/// How often tests with generated input repeat.
package enum Rounds {
    /// Whether the long forms run: `TAPLINE_LONG_TESTS` is set, as `make soak` does.
    package static let areLong = ProcessEnvironment.variables["TAPLINE_LONG_TESTS"] != nil

    /// Returns the number of rounds.
    ///
    /// - Parameters:
    ///   - short: The number in each run of the tests.
    ///   - long: The number in the long forms.
    /// - Returns: One of the two.
    package static func count(_ short: Int, long: Int) -> Int { areLong ? long : short }
}
