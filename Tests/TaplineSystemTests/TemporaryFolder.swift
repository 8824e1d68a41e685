// SPDX-License-Identifier: MIT

import TaplineSystem

/// A temporary folder of a test, removed with its content.
final class TemporaryFolder {
    let path: String

    init() throws {
        path = try FileSystem.makeTemporaryFolder(prefix: "tapline-test")
    }

    deinit {
        try? FileSystem.removeFolder(path)
    }

    func callAsFunction(_ name: String) -> String { "\(path)/\(name)" }

    func write(_ text: String, to name: String) throws {
        try File(self(name), for: .replace).write(text.utf8.span)
    }

    func read(_ name: String) throws -> String {
        var bytes: [UInt8] = []
        let file = try File(self(name), for: .read)
        while try file.read(appendingTo: &bytes, atMost: 65_536) > 0 {}
        return String(decoding: bytes, as: UTF8.self)
    }
}
