// SPDX-License-Identifier: MIT

internal import TaplineConfig
package import TaplineSystem

/// Reads whole configuration files.
package enum InputFile {
    /// How much is read at most; one byte over the limit, so that the YAML reader rejects the file.
    private static let maxBytes = YAMLLimits().bytes + 1

    /// Returns the bytes of a file; `-` is standard input.
    package static func read(_ name: String) throws(FileError) -> [UInt8] {
        var bytes: [UInt8] = []
        let file = name == "-" ? File.standardInput : try File(name, for: .read)
        while bytes.count < maxBytes, try file.read(appendingTo: &bytes, atMost: 65_536) > 0 {}
        return bytes
    }
}
