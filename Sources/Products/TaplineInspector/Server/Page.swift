// SPDX-License-Identifier: MIT

internal import TaplineJSON
internal import TaplineServe

/// A file of the page as it is compiled into the program.
struct PageFile: Sendable {
    let name: StaticString
    let type: StaticString
    /// The content, compressed with gzip, in base64.
    let content: StaticString
}

/// The files of the page.
struct Page: Sendable {
    /// The name of their folder, which is the hash of all files.
    let folder = PageFiles.folder
    private(set) var index = StaticFile(type: "text/html; charset=utf-8", compressed: [])
    /// The page that asks for a password.
    private(set) var login = StaticFile(type: "text/html; charset=utf-8", compressed: [])
    /// All other files by name.
    private(set) var files: [String: StaticFile] = [:]

    init() {
        for file in PageFiles.all {
            var bytes: [UInt8] = []
            let text = file.content.description
            _ = Base64.decode(text.utf8.span, into: &bytes)
            let served = StaticFile(type: file.type.description, compressed: bytes)
            switch file.name.description {
            case "index.html": index = served
            case "login.html": login = served
            case let name: files[name] = served
            }
        }
    }
}
