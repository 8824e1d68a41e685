// SPDX-License-Identifier: MIT

/// Ends the process with a message if a property does not hold, also in release mode.
func require(_ holds: Bool, _ text: @autoclosure () -> String) {
    if !holds { fatalError(text()) }
}
