// SPDX-License-Identifier: MIT

internal import Foundation
internal import TaplineModel

#if canImport(FoundationNetworking)
internal import FoundationNetworking
#endif

/// The error codes of the records and Foundation's equivalents.
///
/// The first equivalent of a code is what an app sees if a stage makes the request fail with it.
private let words: [(word: String, code: URLError.Code)] = [
    ("dns", .cannotFindHost), ("dns", .dnsLookupFailed),
    ("connect_refused", .cannotConnectToHost),
    ("timeout", .timedOut),
    ("reset", .networkConnectionLost), ("aborted", .networkConnectionLost),
    ("tls", .secureConnectionFailed),
    ("tls_verify", .serverCertificateUntrusted), ("tls_verify", .serverCertificateHasBadDate),
    ("tls_verify", .serverCertificateHasUnknownRoot),
    ("tls_verify", .serverCertificateNotYetValid),
    ("malformed_response", .badServerResponse), ("malformed_response", .cannotParseResponse),
    ("too_many_redirects", .httpTooManyRedirects),
    ("no_target", .unsupportedURL), ("no_target", .badURL),
    ("cancelled", .cancelled),
    ("no_recording", .cannotLoadFromNetwork),
]

/// The beginning of the message that describes a failure of Foundation.
private let sentence = "URLSession failed with code "

extension ExchangeError {
    /// Converts an error of Foundation to an error with one of the documented codes.
    init(_ error: any Error) {
        let found = error as? URLError
        let word = words.first { $0.code == found?.code }?.word ?? found?.tlsWord ?? "failed"
        // Foundation's own message may contain the URL.
        self.init(code: word, message: sentence + "\((error as NSError).code)")
    }
}

extension URLError {
    /// The code of a TLS failure, which Foundation on Linux reports only as libcurl's message.
    fileprivate var tlsWord: String? {
        guard code == .unknown else { return nil }
        let sentence = localizedDescription
        let isOfCertificate = ["SSL certificate problem", "SSL: "].contains {
            sentence.contains($0)
        }
        if isOfCertificate { return "tls_verify" }
        return ["SSL routines", "SSL_connect"].contains { sentence.contains($0) } ? "tls" : nil
    }

    /// The error that an app sees if a stage makes a request fail: Foundation's original code if
    /// the error was recorded from one, otherwise the equivalent of its code.
    init(_ error: ExchangeError?) {
        let message = error?.message ?? ""
        if message.hasPrefix(sentence), let number = Int(message.dropFirst(sentence.count)) {
            self.init(URLError.Code(rawValue: number) ?? .unknown)
        } else {
            let code = words.first { $0.word == error?.code }?.code ?? .unknown
            self.init(
                error == nil ? .networkConnectionLost : code,
                userInfo: error?.code == "aborted" ? [:] : [NSLocalizedDescriptionKey: message]
            )
        }
    }

    /// The answer of a stage cannot be passed to this type of task, and nothing may be sent.
    static let notAnswerable = URLError(
        .cannotLoadFromNetwork,
        userInfo: [
            NSLocalizedDescriptionKey:
                "Foundation does not let a stage answer a download; fetch it with data(for:)"
        ]
    )
}
