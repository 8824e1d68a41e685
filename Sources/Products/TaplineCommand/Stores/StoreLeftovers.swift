// SPDX-License-Identifier: MIT

internal import TaplineCommandLine
internal import TaplineSystem

/// Files next to a store that hold its content too: backups, and what a command leaves when it is
/// killed.
enum StoreLeftovers {
    /// The endings of the files of a database.
    private static let endings = ["-wal", "-shm", "-journal", "-index", "-bodies"]

    /// Their paths, sorted; empty if the folder cannot be read.
    static func paths(of store: String) -> [String] {
        let folder = FileSystem.folder(of: store)
        let name = FileSystem.name(of: store)
        return ((try? FileSystem.names(in: folder)) ?? []).sorted()
            .filter { isBackup($0, of: name) || isUnfinished($0, of: name) }
            .map { "\(folder)/\($0)" }
    }

    /// Warns of each of them.
    static func warn(of store: String, on console: Console) {
        let name = FileSystem.name(of: store)
        for path in paths(of: store) {
            let isOfBackup = isBackup(FileSystem.name(of: path), of: name)
            console.note(
                isOfBackup
                    ? "warning: '\(path)' belongs to a backup, which an earlier change has left"
                    : "warning: '\(path)' is left from a command that was killed; remove it unless "
                        + "a command is running"
            )
        }
    }

    private static func isBackup(_ other: String, of name: String) -> Bool {
        withoutEnding(other) == "\(name).backup"
    }

    /// Whether a file has a temporary name, such as `traffic.db.1234.tmp-wal`.
    private static func isUnfinished(_ other: String, of name: String) -> Bool {
        FileSystem.isTemporaryName(withoutEnding(other), for: name)
    }

    private static func withoutEnding(_ name: String) -> String {
        guard let ending = endings.first(where: { name.hasSuffix($0) }) else { return name }
        return String(name.dropLast(ending.count))
    }
}
