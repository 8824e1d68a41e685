// SPDX-License-Identifier: MIT

internal import TaplineJSON
internal import TaplineServe

/// The page of a shared file, without exchanges.
enum ShareTemplate {
    /// The markup, with the policy and the styles.
    static let before = text(of: ShareFiles.before)
    /// The script, to the end of the file.
    static let after = text(of: ShareFiles.after)

    /// The text of a file that is compiled into the program.
    private static func text(of parts: [StaticString]) -> [UInt8] {
        var compressed: [UInt8] = []
        let text = parts.map(\.description).joined()
        _ = Base64.decode(text.utf8.span, into: &compressed)
        return StaticFile(type: "text/html", compressed: compressed).plain ?? []
    }
}
