// SPDX-License-Identifier: MIT

internal import Glibc

/// Whether a program is in one of the folders in PATH.
func isInstalled(_ program: String) -> Bool {
    guard let path = unsafe getenv("PATH") else { return false }
    return unsafe String(cString: path).split(separator: ":").contains {
        unsafe access("\($0)/\(program)", X_OK) == 0
    }
}
