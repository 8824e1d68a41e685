// SPDX-License-Identifier: MIT

internal import TaplineStoreSchema
internal import TaplineSystem

/// Measures and checks a database of the sink `sqlite`, which is opened read-only.
///
/// **Isolation**: one thread at a time.
package final class StoreCare {
    /// The path of the database.
    package let path: String
    let reader: DatabaseReader

    /// Opens a database.
    ///
    /// - Parameter path: The file.
    /// - Throws: `StoreError` if there is no such file, or it is no database that can be read.
    package init(_ path: String) throws(StoreError) {
        self.path = path
        try StoreEditor.checkFile(path)
        guard let reader = try DatabaseReader(path) else { throw .notDatabase("'\(path)'") }
        self.reader = reader
    }

    /// Calls a closure with each file in the folder of bodies: its path, its name, and the name of
    /// its own folder.
    func forEachFile(_ body: (String, String, String) throws -> Void) throws {
        let folder = BodyFiles(database: path).folder
        for group in try names(in: folder) {
            for name in try names(in: "\(folder)/\(group)") {
                try body("\(folder)/\(group)/\(name)", name, group)
            }
        }
    }

    /// The names in a folder; none if it is not a folder, or a writer has removed it.
    private func names(in folder: String) throws(StoreError) -> [String] {
        do throws(FileError) {
            guard try FileSystem.status(of: folder)?.kind == .folder else { return [] }
            return try FileSystem.names(in: folder)
        } catch {
            if error.isMissing { return [] }
            throw StoreError(.system, error.description)
        }
    }
}
