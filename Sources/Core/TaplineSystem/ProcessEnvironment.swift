// SPDX-License-Identifier: MIT

#if canImport(Darwin)
internal import Darwin
#else
internal import Glibc
#endif

/// The environment that the process was started with.
package enum ProcessEnvironment {
    /// All variables; if a name occurs twice, the first one is used, as in `getenv(3)`.
    package static var variables: [String: String] {
        var variables: [String: String] = [:]
        var position = unsafe environ
        while let entry = unsafe position.pointee {
            let text = unsafe String(cString: entry)
            let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let name = String(parts[0])
            if parts.count == 2, variables[name] == nil { variables[name] = String(parts[1]) }
            unsafe position += 1
        }
        return variables
    }
}
