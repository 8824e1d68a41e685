// SPDX-License-Identifier: MIT

internal import TaplineConfig
internal import TaplinePlugin
internal import TaplineSystem

/// Reads and parses a file of rules.
struct RuleFileLoader: Sendable {
    /// The file, as the configuration names it.
    let path: String
    let environment: Environment
    /// The files that no rule may answer with.
    let protected: ProtectedFiles
    /// The hits of all versions of the file.
    let counters = RuleCounters()

    /// The name of the file in counters.
    var name: String { FileSystem.name(of: path) }

    /// Reads the rules; the set is `nil`, with the problems reported, if they are invalid.
    ///
    /// The files are those that the rules answer with, also if the rules are invalid.
    ///
    /// - Throws: `FileError` if the file itself cannot be read.
    func load(
        into diagnostics: inout Diagnostics
    ) throws(FileError) -> (set: RuleSet?, files: [String]) {
        let limit = YAMLLimits().bytes + 1
        let bytes = try RuleFileLoader.read(path, atMost: limit)
        let source = ConfigSource(name: path, bytes: bytes)
        let drafts = RuleSet.drafts(source, environment, protected, into: &diagnostics)
        return (drafts.rules.map { RuleSet($0, counters, files: drafts.files) }, drafts.files)
    }

    /// Reads the rules of a changed file; logs what is wrong with them.
    func reload(_ log: Log) -> FileWatch<RuleSet>.Version {
        var diagnostics = Diagnostics()
        var files: [String] = []
        do throws(FileError) {
            let loaded = try load(into: &diagnostics)
            files = loaded.files
            if let set = loaded.set {
                log.info("\(path) was reloaded: \(Counted.text(set.rules.count, "rule"))")
                return FileWatch.Version(set, files: files)
            }
        } catch {
            diagnostics.error(at: nil, "\(error)")
        }
        refuse(diagnostics, log)
        return FileWatch.Version(nil, files: files)
    }

    /// Logs why a changed file is not used, one line for each problem.
    private func refuse(_ diagnostics: Diagnostics, _ log: Log) {
        let errors = diagnostics.hidingValues(of: environment).sorted
            .filter { $0.severity == .error }
        for problem in errors.prefix(10) {
            let place = problem.location.map { "\($0): " } ?? ""
            let help = problem.help.map { "; \($0)" } ?? ""
            log.error("\(place)\(problem.message)\(help)")
        }
        log.error("\(path) is not used; the previous rules stay in use")
    }

    /// Reads the beginning of a file on disk; a pipe, which one might wait for, is an error.
    static func read(_ path: String, atMost limit: Int) throws(FileError) -> [UInt8] {
        try read(File(path, for: .readRegular), atMost: limit)
    }

    /// Reads the beginning of an open file.
    static func read(_ file: borrowing File, atMost limit: Int) throws(FileError) -> [UInt8] {
        var bytes: [UInt8] = []
        while bytes.count < limit {
            let room = min(limit - bytes.count, 256 << 10)
            guard try file.read(appendingTo: &bytes, atMost: room) > 0 else { break }
        }
        return bytes
    }
}
