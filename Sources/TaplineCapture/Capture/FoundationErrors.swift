// SPDX-License-Identifier: MIT

internal import Foundation
internal import TaplineModel

#if canImport(FoundationNetworking)
internal import FoundationNetworking
#endif

/// The words of the list of codes, and what Foundation calls the same; the first of a word is what
/// an app sees where a stage has the request fail so.
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

/// How the sentence begins that says how Foundation failed.
private let sentence = "URLSession failed with code "

extension ExchangeError {
    /// Why a request of Foundation failed, in the words of the list of codes.
    init(_ error: any Error) {
        let found = error as? URLError
        let word = words.first { $0.code == found?.code }?.word ?? found?.tlsWord ?? "failed"
        // Foundation's own sentence may hold the URL.
        self.init(code: word, message: sentence + "\((error as NSError).code)")
    }
}

extension URLError {
    /// The word for a failure of TLS, of which Foundation on Linux knows libcurl's sentence alone.
    fileprivate var tlsWord: String? {
        guard code == .unknown else { return nil }
        let sentence = localizedDescription
        let isOfCertificate = ["SSL certificate problem", "SSL: "].contains {
            sentence.contains($0)
        }
        if isOfCertificate { return "tls_verify" }
        return ["SSL routines", "SSL_connect"].contains { sentence.contains($0) } ? "tls" : nil
    }

    /// What an app sees where a stage has a request fail: the code that Foundation had given, where
    /// the error was recorded from it, otherwise the one that the word stands for.
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

    /// The answer of a stage cannot be given to this kind of task, and nothing may be sent.
    static let notAnswerable = URLError(
        .cannotLoadFromNetwork,
        userInfo: [
            NSLocalizedDescriptionKey:
                "Foundation takes no answer for a download; fetch it with data(for:)"
        ]
    )
}
