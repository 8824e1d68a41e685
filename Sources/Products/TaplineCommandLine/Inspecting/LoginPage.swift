// SPDX-License-Identifier: MIT

internal import TaplineSystem

/// A file that leads a browser to an address with a secret in it.
///
/// All users of a machine see the arguments of a program, so the address cannot be one. They see the
/// path of this file, but only its owner can read it: it has mode 0600, in a new folder with mode
/// 0700. A code that works only once would not do, since another user could be faster than the
/// browser.
///
/// **Isolation**: any thread.
final class LoginPage: Sendable {
    private let folder: String
    private let path: String

    /// Writes the file.
    ///
    /// - Parameter address: The address, of characters that HTML does not interpret.
    /// - Throws: `FileError` if it cannot be written.
    init(leadingTo address: String) throws(FileError) {
        folder = try FileSystem.makeTemporaryFolder(prefix: "tapline-inspect")
        path = "\(folder)/open.html"
        let page = """
            <!DOCTYPE html>
            <html lang="en">
            <meta charset="utf-8">
            <meta name="referrer" content="no-referrer">
            <meta http-equiv="refresh" content="0; url=\(address)">
            <title>Tapline</title>
            <p><a href="\(address)">Open the inspector</a>

            """
        do throws(FileError) {
            let file = try File(path, for: .create)
            let bytes = Array(page.utf8)
            try file.write(bytes.span)
        } catch {
            remove()
            throw error
        }
    }

    deinit { remove() }

    /// Opens an address in the user's browser.
    ///
    /// - Parameters:
    ///   - address: The address.
    ///   - isSecret: Whether others must not see the address.
    ///   - invocation: Has the environment.
    /// - Returns: The file that leads to the address; `nil` if the browser gets it directly.
    /// - Throws: `FileError` if the file cannot be written.
    static func open(
        _ address: String,
        isSecret: Bool,
        _ invocation: Invocation
    ) throws(FileError) -> LoginPage? {
        let page = isSecret ? try LoginPage(leadingTo: address) : nil
        Browser.open(page?.url ?? address, invocation)
        return page
    }

    /// The address of the file.
    var url: String { "file://\(path)" }

    /// Removes the file; a browser that has opened it does not need it any more.
    func remove() {
        // What cannot be removed can be read only by its owner, and leads nowhere afterwards.
        try? FileSystem.removeFolder(folder)
    }
}
