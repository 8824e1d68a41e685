// SPDX-License-Identifier: MIT

internal import TaplineConfig
internal import TaplineSystem

/// Reads and parses a file of rules.
struct RuleFileLoader: Sendable {
    /// The file, as the configuration names it.
    let path: String
    let environment: Environment
    /// The files that no rule may answer with.
    var protected = ProtectedFiles()
    /// The hits of all versions of the file.
    let counters = RuleCounters()

    /// The name of the file in counters.
    var name: String { FileSystem.name(of: path) }

    /// Reads the rules; returns `nil` and reports the problems if they are invalid.
    ///
    /// - Throws: `FileError` if the file itself cannot be read.
    func load(into diagnostics: inout Diagnostics) throws(FileError) -> RuleSet? {
        let limit = YAMLLimits().bytes + 1
        let bytes = try RuleFileLoader.read(path, atMost: limit)
        return RuleSet.parse(
            ConfigSource(name: path, bytes: bytes),
            environment: environment,
            counters: counters,
            protected: protected,
            into: &diagnostics
        )
    }

    /// Reads the beginning of a file, without waiting if it is a pipe.
    static func read(_ path: String, atMost limit: Int) throws(FileError) -> [UInt8] {
        let file = try File(path, for: .readWithoutWaiting)
        var bytes: [UInt8] = []
        while bytes.count < limit {
            let room = min(limit - bytes.count, 256 << 10)
            guard try file.read(appendingTo: &bytes, atMost: room) > 0 else { break }
        }
        return bytes
    }
}
