// SPDX-License-Identifier: MIT

internal import TaplineModel

/// Values that have the form of a secret and are known to be none.
package struct AllowList: Sendable {
    private var values: Set<[UInt8]> = []
    private var globs: [Glob] = []

    /// A list of values, in which `*` stands for any bytes.
    package init(_ texts: [String]) {
        for text in texts {
            if text.utf8.contains(UInt8(ascii: "*")) {
                globs.append(Glob(text))
            } else {
                values.insert(Array(text.utf8))
            }
        }
    }

    /// Whether a value is on the list.
    package func contains(_ value: Span<UInt8>) -> Bool {
        if !values.isEmpty, values.contains(Array(copying: value)) { return true }
        return globs.contains { $0.matches(value) }
    }
}
