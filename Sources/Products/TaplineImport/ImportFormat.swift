// SPDX-License-Identifier: MIT

package import TaplineModel

/// A format that exchanges can be imported from.
package enum ImportFormat: String, CaseIterable, Sendable {
    case har
    case ndjson
    /// Flows of mitmproxy.
    case mitmproxy
    /// Files of GoReplay.
    case gor
    /// Command lines of curl for bash.
    case curl
    /// Collections of Postman, format 2.1.
    case postman
    /// Access logs of nginx and Apache, in the combined format or as JSON lines.
    case accessLog = "access-log"

    /// Creates a parser for one file.
    func makeParser(_ options: ImportOptions) -> any ImportParser {
        switch self {
        case .har, .ndjson: RecordingImport(options)
        case .mitmproxy: MitmproxyParser(options)
        case .gor: GorParser(options)
        case .curl: CurlParser(options)
        case .postman: PostmanParser(options)
        case .accessLog: AccessLogParser(options)
        }
    }
}

/// What applies to one file.
package struct ImportOptions: Sendable {
    /// The name of the file, for errors.
    package var file: String
    /// The start of exchanges for which the file states no time.
    package var fallbackStart: Timestamp
    /// The maximum size of an exchange in the file, and of a file that is read as a whole.
    package var maxRecordBytes: Int

    /// Creates options.
    package init(
        file: String,
        fallbackStart: Timestamp = Timestamp(microseconds: 0),
        maxRecordBytes: Int = 64 << 20
    ) {
        self.file = file
        self.fallbackStart = fallbackStart
        self.maxRecordBytes = max(1, maxRecordBytes)
    }
}
