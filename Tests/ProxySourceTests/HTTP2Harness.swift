// SPDX-License-Identifier: MIT

import TaplineConnections
import TaplineModel
import TaplineNet
import TestSupport

@testable import ProxySource

/// A server of HTTP/2 by prior knowledge, and the settings of proxies before it.
final class HTTP2Origin: PythonServer, @unchecked Sendable {
    /// Starts it.
    ///
    /// - Parameter words: How it behaves; see the program.
    /// - Throws: As `PythonServer`.
    init(_ words: String = "") throws {
        try super.init("http2_server", arguments: ["", "", words], of: #filePath)
    }

    var authority: String { "127.0.0.1:\(port)" }

    /// Returns the settings of a reverse proxy that reaches it by HTTP/2.
    func settings() -> ProxySettings {
        var settings = ProxySettings.usingHTTP2
        settings.upstream = Origin(url: url)
        settings.http2.priorKnowledge = settings.upstream
        return settings
    }
}

extension ProxySettings {
    /// The settings of a proxy with one thread that uses HTTP/2 with all hosts.
    static var usingHTTP2: ProxySettings {
        var settings = ProxySettings()
        settings.threads = 1
        settings.http2.hosts = [Glob("*")]
        return settings
    }
}

extension ProxyHarness {
    /// Runs a client of HTTP/2: by prior knowledge, or in TLS if it gets the certificate of an
    /// authority.
    func http2(
        _ authority: String,
        _ scenario: String,
        _ argument: String = "",
        root: String = ""
    ) async throws -> String {
        let output = try await Python.run(
            "http2_client",
            ["\(address.port)", authority, scenario, argument, root],
            of: #filePath
        )
        return output.trimmed
    }
}

extension String {
    /// The text without a line end.
    fileprivate var trimmed: String { hasSuffix("\n") ? String(dropLast()) : self }
}
