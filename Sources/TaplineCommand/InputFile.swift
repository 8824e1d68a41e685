// SPDX-License-Identifier: MIT

internal import TaplineConfig
internal import TaplineFiles

/// Reads configuration whole.
enum InputFile {
    /// The largest file that is read; beyond it the reader says that it is too large.
    private static let maxBytes = YAMLLimits().bytes + 1

    /// The bytes of a file; `-` is standard input.
    static func read(_ name: String) throws(FileError) -> [UInt8] {
        var bytes: [UInt8] = []
        let file = name == "-" ? File.standardInput : try File(name, for: .read)
        while bytes.count < maxBytes, try file.read(appendingTo: &bytes, atMost: 65_536) > 0 {}
        return bytes
    }
}
