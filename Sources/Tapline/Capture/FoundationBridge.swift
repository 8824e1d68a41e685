// SPDX-License-Identifier: MIT

internal import Foundation
internal import TaplineModel

#if canImport(FoundationNetworking)
internal import FoundationNetworking
#endif

extension Request {
    /// The head of a request as Foundation holds it; what it adds on the wire is missing.
    ///
    /// Foundation keeps fields in no order, so they stand by name.
    init(_ request: URLRequest) {
        let parts = request.url.flatMap { URLComponents(url: $0, resolvingAgainstBaseURL: true) }
        var target = parts?.percentEncodedPath ?? "/"
        if target.isEmpty { target = "/" }
        if let query = parts?.percentEncodedQuery { target += "?\(query)" }
        var authority = parts?.percentEncodedHost ?? ""
        if let port = parts?.port { authority += ":\(port)" }
        self.init(
            method: ByteString(request.httpMethod ?? "GET"),
            target: ByteString(target),
            scheme: ByteString(parts?.scheme?.lowercased() ?? ""),
            authority: ByteString(authority),
            fields: FieldSection(sorted: request.allHTTPHeaderFields ?? [:])
        )
    }
}

extension Response {
    /// The head of a response as Foundation holds it: fields of one name are joined, and stand by
    /// name.
    init(_ response: HTTPURLResponse) {
        var fields: [String: String] = [:]
        for (name, value) in response.allHeaderFields {
            if let name = name as? String, let value = value as? String { fields[name] = value }
        }
        self.init(
            status: response.statusCode,
            version: ByteString(),
            fields: FieldSection(sorted: fields)
        )
    }
}

extension FieldSection {
    fileprivate init(sorted fields: [String: String]) {
        self.init(fields.sorted { $0.key < $1.key }.map { (name: $0.key, value: $0.value) })
    }
}

extension ExchangeError {
    /// Why a request of Foundation failed, in the words of the list of codes.
    init(_ error: any Error) {
        let code: URLError.Code? = (error as? URLError)?.code
        let word =
            switch code {
            case .cannotFindHost, .dnsLookupFailed: "dns"
            case .cannotConnectToHost: "connect_refused"
            case .timedOut: "timeout"
            case .networkConnectionLost: "reset"
            case .secureConnectionFailed: "tls"
            case .serverCertificateUntrusted, .serverCertificateHasBadDate,
                .serverCertificateHasUnknownRoot, .serverCertificateNotYetValid:
                "tls_verify"
            case .badServerResponse, .cannotParseResponse: "malformed_response"
            case .httpTooManyRedirects: "too_many_redirects"
            case .unsupportedURL, .badURL: "no_target"
            default: "failed"
            }
        // Foundation's own sentence may hold the URL.
        let number = (error as NSError).code
        self.init(code: word, message: "URLSession failed with code \(number)")
    }
}

extension Data {
    /// Lends the bytes.
    func withSpan(_ body: (Span<UInt8>) -> Void) { body(Array(self).span) }
}
