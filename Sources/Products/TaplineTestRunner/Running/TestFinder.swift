// SPDX-License-Identifier: MIT

package import TaplineSystem

/// Finds test files: files by their names, folders by their contents.
package enum TestFinder {
    /// The suffix of test files that are found in a folder.
    package static let suffix = ".test.yaml"
    /// The maximum depth to which folders are searched.
    private static let maxDepth = 32
    /// The most folders that are searched.
    private static let maxFolders = 100_000

    /// Returns the test files at a path: the path itself, or all `*.test.yaml` files in it and its
    /// subfolders, sorted.
    ///
    /// Hidden folders are left out.
    package static func files(_ path: String) throws(FileError) -> [String] {
        guard try FileSystem.status(of: path)?.kind == .folder else { return [path] }
        var files: [String] = []
        var folders = [(path: path, depth: 0)]
        var seen: Set<Identity> = []
        while let folder = folders.popLast(), seen.count < maxFolders {
            // A link may lead back to a folder that has already been searched.
            guard let status = try FileSystem.status(of: folder.path),
                seen.insert(Identity(device: status.device, inode: status.inode)).inserted
            else { continue }
            for name in try FileSystem.names(in: folder.path) where !name.hasPrefix(".") {
                let child =
                    folder.path.hasSuffix("/") ? folder.path + name : "\(folder.path)/\(name)"
                let kind = try FileSystem.status(of: child)?.kind
                if kind == .folder, folder.depth < maxDepth {
                    folders.append((child, folder.depth + 1))
                } else if kind == .regular, name.hasSuffix(suffix) {
                    files.append(child)
                }
            }
        }
        return files.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    }

    private struct Identity: Hashable {
        let device: UInt64
        let inode: UInt64
    }
}
