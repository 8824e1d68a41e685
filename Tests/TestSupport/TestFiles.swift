// SPDX-License-Identifier: MIT

package import TaplineSystem

/// Files of the repository, located from the source file of a test.
package enum TestFiles {
    /// The path of the repository.
    package static let repository = parent(of: #filePath, levels: 3)

    /// Returns the path of a file in the folder `Fixtures` of the caller's tests.
    package static func fixture(_ name: String, of caller: String = #filePath) -> String {
        // Tests may be in subfolders of `Tests/<module>Tests`.
        let parts = caller.dropFirst(repository.utf8.count).split(separator: "/")
        return "\(repository)/\(parts.prefix(2).joined(separator: "/"))/Fixtures/\(name)"
    }

    /// Returns the content of a file.
    package static func bytes(of path: String) throws(FileError) -> [UInt8] {
        var bytes: [UInt8] = []
        let file = try File(path, for: .read)
        while try file.read(appendingTo: &bytes, atMost: 65_536) > 0 {}
        return bytes
    }

    /// Returns the content of a file as text.
    package static func text(of path: String) throws(FileError) -> String {
        String(decoding: try bytes(of: path), as: UTF8.self)
    }

    private static func parent(of path: String, levels: Int) -> String {
        "/" + path.split(separator: "/").dropLast(levels).joined(separator: "/")
    }
}
