// SPDX-License-Identifier: MIT

import Foundation
import FoundationNetworking
import TestSupport

/// A server on plain sockets with correct and incorrect responses, which stores its requests.
///
/// The first part of a path names the caller, so that all callers can share one server; the second
/// part names the response.
final class DifferenceServer: PythonServer, @unchecked Sendable {
    static let shared = Result { try DifferenceServer() }
    private let asking = URLSession(configuration: .ephemeral)

    init() throws { try super.init("difference_server") }

    /// Creates a server with TLS, from the paths of a certificate and its key.
    init(certificate: String, key: String) throws {
        try super.init("difference_server", arguments: [certificate, key], scheme: "https")
    }

    /// Returns the requests under a name since the last call: lines, sorted fields, and content.
    func takeRequests(of name: String) async throws -> [String] {
        let (data, _) = try await asking.data(from: path("/\(name)/log"))
        return try JSONDecoder().decode([String].self, from: data)
    }

    /// Returns the number of requests under a name.
    func count(of name: String) async throws -> Int {
        let (data, _) = try await asking.data(from: path("/\(name)/count"))
        return Int(String(decoding: data, as: UTF8.self)) ?? 0
    }
}
