// SPDX-License-Identifier: MIT

import TaplineSystem

/// The checkout that these tests belong to.
enum Repository {
    /// The path of its folder.
    static let root = "/" + #filePath.split(separator: "/").dropLast(3).joined(separator: "/")

    /// Returns the text of a file, given its absolute path.
    static func text(of path: String) throws -> String {
        let file = try File(path, for: .read)
        var bytes: [UInt8] = []
        while try file.read(appendingTo: &bytes, atMost: 65_536) > 0 {}
        return String(decoding: bytes, as: UTF8.self)
    }
}
