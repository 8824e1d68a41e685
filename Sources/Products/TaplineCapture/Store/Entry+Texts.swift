// SPDX-License-Identifier: MIT

internal import TaplineFormats
internal import TaplineModel

extension Entry {
    /// The complete entry as readable text: heads, bodies, times, error, tags.
    ///
    /// Control characters of the traffic are shown as `\x1b`, so that a server cannot control the
    /// terminal.
    public var exportText: String {
        var lines = ["\(method) \(url)", "started \(started.rfc3339)"]
        if let formattedDuration { lines.append("took \(formattedDuration)") }
        if let error { lines.append("error \(error.code): \(error.message)") }
        lines +=
            exchange?.tags.map { tag in
                "tag \(tag.name): \(tag.value)"
            } ?? []
        lines.append("")
        lines += Entry.message(requestHeaders, prettyPrintedRequestBody, exchange?.request.body)
        if let response = exchange?.response {
            lines += ["", "status \(response.status)"]
            lines += Entry.message(responseHeaders, prettyPrintedResponseBody, response.body)
        }
        return lines.joined(separator: "\n").showingControls(["\n": "\n", "\t": "\t"]) + "\n"
    }

    /// One line: method, URL, status or error, and the time it took.
    public var copyText: String {
        var words = [method, url]
        if let statusCode { words.append("\(statusCode)") }
        switch state {
        case .loading: words.append("loading")
        case .failed, .cancelled: words.append(error?.code ?? "failed")
        case .success: break
        }
        if let formattedDuration { words.append(formattedDuration) }
        return words.joined(separator: " ")
    }

    /// A shell command that sends the request again; `nil` if its body is not stored completely,
    /// and until the exchange has ended.
    ///
    /// It needs curl 7.43 and a POSIX shell. Values that a stage has masked are sent masked.
    public var curl: String? { exchange.flatMap { CurlCommand($0.request)?.text } }

    /// A HAR file (HTTP Archive 1.2) with this exchange; `nil` until it has ended.
    public var har: String? {
        guard let record else { return nil }
        var writer = HARWriter()
        writer.begin(version: ProgramVersion.text)
        writer.write(record)
        writer.end()
        return String(decoding: Array(copying: writer.bytes), as: UTF8.self)
    }

    private static func message(_ fields: [Field], _ text: String?, _ body: Body?) -> [String] {
        var lines = fields.map { "\($0.name): \($0.value)" }
        if let text { lines += ["", text] }
        if let body, body.isTruncated {
            lines += ["", text == nil ? "(the body is not stored)" : "(the body is truncated)"]
        }
        return lines
    }
}
