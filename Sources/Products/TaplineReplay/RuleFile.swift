// SPDX-License-Identifier: MIT

internal import TaplineSystem

/// The file of a server's rules; that of a text is temporary and removed with this object.
final class RuleFile: Sendable {
    let path: String
    /// The folder to remove; `nil` for the file of a user.
    private let folder: String?

    /// - Throws: `ReplayError` if the file of a text cannot be written.
    init(_ rules: MockServer.Rules) throws(ReplayError) {
        switch rules.origin {
        case .file(let path):
            self.path = path
            folder = nil
        case .text(let text):
            do throws(FileError) {
                let folder = try FileSystem.makeTemporaryFolder(prefix: "tapline-mock")
                self.folder = folder
                path = "\(folder)/rules.yaml"
                try File(path, for: .create).write(text.utf8.span)
            } catch {
                throw ReplayError(["the rules cannot be written: \(error)"])
            }
        }
    }

    deinit {
        if let folder { try? FileSystem.removeFolder(folder) }
    }
}
