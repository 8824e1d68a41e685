// SPDX-License-Identifier: MIT

internal import TaplineFormats

/// A format that records can be exported to.
package enum ExportFormat: String, CaseIterable, Sendable {
    case curl
    case httpie
    case wget
    /// Python with `requests`.
    case python
    /// JavaScript with `fetch`.
    case javascript
    /// Swift with `URLSession`.
    case swift
    /// Files of REST clients.
    case http
    case har
    case ndjson
    case csv
    case markdown
    case postman
    case k6
    /// Files of GoReplay.
    case gor
    /// Flows of mitmproxy.
    case mitmproxy
    /// OpenAPI 3.1 in JSON.
    case openapi

    /// Whether the format depends on a shell.
    package var usesShell: Bool { [.curl, .httpie, .wget].contains(self) }

    /// Creates a writer.
    ///
    /// - Parameter shell: The shell, if the format depends on one.
    /// - Returns: A writer that has not started.
    package func makeWriter(for shell: ShellDialect = .bash) -> any ExportWriter {
        switch self {
        case .curl: CurlWriter(shell: shell)
        case .httpie: HTTPieWriter(shell: shell)
        case .wget: WgetWriter(shell: shell)
        case .python: PythonWriter()
        case .javascript: FetchWriter()
        case .swift: SwiftWriter()
        case .http: RestClientWriter()
        case .har: HARExportWriter()
        case .ndjson: NDJSONExportWriter()
        case .csv: CSVWriter()
        case .markdown: MarkdownWriter()
        case .postman: PostmanWriter()
        case .k6: K6Writer()
        case .gor: GorWriter()
        case .mitmproxy: MitmproxyWriter()
        case .openapi: OpenAPIWriter()
        }
    }
}
