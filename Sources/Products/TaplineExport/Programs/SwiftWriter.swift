// SPDX-License-Identifier: MIT

package import TaplineFormats
internal import TaplineModel
package import TaplinePlugin

/// Writes a Swift program that sends the requests with `URLSession`.
package struct SwiftWriter: ExportWriter {
    private var count = 0

    /// Creates a writer.
    package init() {}

    private static let head = """
        import Foundation
        #if canImport(FoundationNetworking)
        import FoundationNetworking
        #endif

        /// Redirections are exchanges of their own.
        final class NoRedirections: NSObject, URLSessionTaskDelegate {
            func urlSession(
                _ session: URLSession, task: URLSessionTask,
                willPerformHTTPRedirection response: HTTPURLResponse, newRequest: URLRequest,
                completionHandler: @escaping @Sendable (URLRequest?) -> Void
            ) {
                completionHandler(nil)
            }
        }

        let configuration = URLSessionConfiguration.ephemeral
        configuration.httpShouldSetCookies = false
        let session = URLSession(
            configuration: configuration, delegate: NoRedirections(), delegateQueue: nil)

        @MainActor func send(
            _ method: String, _ url: String, _ fields: [(String, String)], _ body: Data? = nil
        ) async throws {
            guard let address = URL(string: url) else { throw URLError(.badURL) }
            var request = URLRequest(url: address)
            request.httpMethod = method
            request.httpBody = body
            for (name, value) in fields { request.setValue(value, forHTTPHeaderField: name) }
            let (data, response) = try await session.data(for: request)
            print(method, url, (response as? HTTPURLResponse)?.statusCode ?? 0, data.count)
        }

        """

    package mutating func start(to output: inout [UInt8]) -> LossReport {
        output.line(Self.head)
        return LossReport()
    }

    package mutating func write(_ record: Record, to output: inout [UInt8]) -> LossReport {
        var losses = LossReport()
        guard let request = OutgoingRequest(record.exchange.request, &losses) else { return losses }
        losses.countMessages(of: record)
        count += 1
        let (url, isChanged) = request.url(encoding: "[]")
        if isChanged { losses.count("request.target") }
        // Foundation sends common methods in upper case, and no content with GET and HEAD.
        let upper = request.method.uppercased()
        let isCommon = ["GET", "HEAD", "POST", "PUT", "DELETE", "CONNECT"].contains(upper)
        if isCommon, upper != request.method { losses.count("request.method") }
        let isRefused = request.isBodyRefusedByFetch
        if isRefused { losses.count("request.body (GET)") }
        output.line("\n\(FetchWriter.comment(request, count))")
        // Functions compile in a fraction of the time that statements in one body take.
        output.line("@MainActor func request\(count)() async throws {")
        output.line("    try await send(")
        let method = SourceLiteral.swift(request.method)
        output.line("        \(method), \(SourceLiteral.swift(url)),")
        let fields = request.joinedFields(&losses)
        output.put(fields.isEmpty ? "        []" : "        [\n")
        for field in fields {
            guard let value = field.text else {
                losses.count("request.headers (not UTF-8)")
                continue
            }
            let name = SourceLiteral.swift(field.name)
            output.line("            (\(name), \(SourceLiteral.swift(value))),")
        }
        if !fields.isEmpty { output.put("        ]") }
        if !request.body.isEmpty, !isRefused { output.put(", \(Self.literal(request.body))") }
        output.line(")\n}")
        return losses
    }

    package mutating func finish(to output: inout [UInt8]) -> LossReport {
        output.line("\nlet requests: [@MainActor () async throws -> Void] = [")
        for number in 1..<count + 1 { output.line("    request\(number),") }
        output.line("]\nfor request in requests { try await request() }")
        return LossReport()
    }

    private static func literal(_ bytes: [UInt8]) -> String {
        if let text = String(validating: bytes, as: UTF8.self) {
            return "Data(\(SourceLiteral.swift(text)).utf8)"
        }
        return "Data(base64Encoded: \"\(bytes.base64)\")"
    }
}
