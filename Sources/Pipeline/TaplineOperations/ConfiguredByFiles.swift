// SPDX-License-Identifier: MIT

internal import TaplineCrypto
package import TaplinePlugin
internal import TaplineSystem

/// A configured component that has read files, whose changes are changes of its configuration.
package protocol ConfiguredByFiles {
    /// The paths of the files, including those that it would read if they existed.
    var configurationFiles: [String] { get }
}

/// A file that belongs to a configuration.
package enum ConfigurationFile {
    /// Returns a text that is the same for the same contents; `missing` if the file cannot be read.
    package static func digest(of path: String) -> String {
        (try? contents(of: path)).map { "\(SHA256.hash($0.span))" } ?? "missing"
    }

    private static func contents(of path: String) throws(FileError) -> [UInt8] {
        let file = try File(path, for: .read)
        var bytes: [UInt8] = []
        while try file.read(appendingTo: &bytes, atMost: 1 << 20) > 0 {}
        return bytes
    }
}

/// A source that clients connect to.
///
/// It calls `listens` of its intake once they can.
package protocol ListeningSource: Source {}
