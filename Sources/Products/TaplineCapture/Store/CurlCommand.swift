// SPDX-License-Identifier: MIT

internal import TaplineModel

/// A request as a shell command.
struct CurlCommand {
    /// The largest body that is passed as an argument; the kernel allows 128 KiB for each argument.
    private static let maxArgument = 64 << 10

    /// The command.
    let text: String

    /// Creates a command that sends the request; `nil` if that is not possible.
    init?(_ request: Request) {
        guard !request.body.isTruncated else { return nil }
        var words = ["curl"]
        guard let fields = CurlCommand.fields(request) else { return nil }
        let body = request.body.bytes
        let hasData = CurlCommand.hasData(request)
        switch (request.method.description, hasData) {
        case ("GET", false), ("POST", true): break
        case ("HEAD", false): words.append("--head")
        case ("HEAD", true):
            // '--head' accepts no data; without it, curl waits for the body that Content-Length
            // announces.
            words += ["-X HEAD --include --ignore-content-length -H 'Connection: close'"]
        case (let method, _): words += ["-X", CurlCommand.quoted(method)]
        }
        words += fields
        var source = ""
        if hasData {
            if let plain = CurlCommand.plain(body) {
                // '--data' would treat a text that begins with '@' as a file name.
                words += ["--data-raw", CurlCommand.quoted(plain)]
            } else {
                source = "printf '\(CurlCommand.octal(body))' | "
                words += ["--data-binary", "@-"]
            }
        }
        let url = request.url.description
        if url.contains(where: { "[]{}".contains($0) }) { words.append("--globoff") }
        if url.contains("/.") { words.append("--path-as-is") }
        words.append(CurlCommand.quoted(url))
        text = source + words.joined(separator: " ")
    }

    /// Whether data is passed to curl: like Foundation, all methods except GET and HEAD send the
    /// length of their body, even of an empty one.
    private static func hasData(_ request: Request) -> Bool {
        !request.body.bytes.isEmpty || !["GET", "HEAD"].contains(request.method.description)
    }

    /// Returns the arguments for the fields; `nil` if a field cannot be an argument.
    private static func fields(_ request: Request) -> [String]? {
        var words: [String] = []
        for position in request.fields.indices {
            let name = ByteString(request.fields.name(at: position))
            let value = ByteString(request.fields.value(at: position))
            guard let name = name.text, let value = value.text, !name.hasPrefix("@"),
                !(name + value).unicodeScalars.contains(where: { $0.value < 0x20 && $0 != "\t" })
            else { return nil }
            // curl sets the length of the body, and HEAD with a body has already set its connection
            // field.
            let isSaid =
                switch name.lowercased() {
                case "content-length": true
                case "connection": request.method.description == "HEAD" && hasData(request)
                default: false
                }
            if isSaid { continue }
            // A semicolon sends an empty value; a colon alone removes the field.
            words += ["-H", quoted(value.isEmpty ? "\(name);" : "\(name): \(value)")]
        }
        // Like curl, Foundation adds the content type of forms to a POST with a body, and only to
        // that.
        let isForm = request.method.description == "POST" && !request.body.bytes.isEmpty
        if hasData(request), !isForm, !request.fields.contains("Content-Type") {
            words += ["-H", quoted("Content-Type:")]
        }
        if !request.fields.contains("Accept-Encoding") { words.append("--compressed") }
        return words
    }

    /// Returns a body as text if it can be passed as an argument.
    private static func plain(_ body: [UInt8]) -> String? {
        guard body.count <= maxArgument, let text = String(validating: body, as: UTF8.self),
            !text.unicodeScalars.contains(where: { $0.value < 0x20 && $0 != "\n" && $0 != "\t" })
        else { return nil }
        return text
    }

    /// Returns a word that the shell does not change.
    private static func quoted(_ text: String) -> String {
        "'"
            + text.split(separator: "'", omittingEmptySubsequences: false)
            .joined(separator: "'\\''") + "'"
    }

    /// Returns bytes as a format of `printf`, which is built into every shell.
    private static func octal(_ bytes: [UInt8]) -> String {
        var text: [UInt8] = []
        text.reserveCapacity(bytes.count * 2)
        for byte in bytes {
            switch byte {
            case .ascii("%"): text += [byte, byte]
            case 0x20...0x7E where byte != .ascii("'") && byte != .ascii("\\"): text.append(byte)
            default:
                text.append(.ascii("\\"))
                for shift in [6, 3, 0] { text.append(.ascii("0") + (byte >> UInt8(shift)) & 7) }
            }
        }
        return String(decoding: text, as: UTF8.self)
    }
}
