// SPDX-License-Identifier: MIT

internal import TaplineModel

/// Values that look like secrets but are known not to be.
package struct AllowList: Sendable {
    private var values: Set<[UInt8]> = []
    private var globs: [Glob] = []

    /// Makes a list of values, in which `*` matches any bytes.
    package init(_ texts: [String]) {
        for text in texts {
            if text.utf8.contains(UInt8(ascii: "*")) {
                globs.append(Glob(text))
            } else {
                values.insert(Array(text.utf8))
            }
        }
    }

    /// Returns whether a value is on the list.
    package func contains(_ value: Span<UInt8>) -> Bool {
        if !values.isEmpty, values.contains(Array(copying: value)) { return true }
        return globs.contains { $0.matches(value) }
    }
}
