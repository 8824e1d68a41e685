// SPDX-License-Identifier: MIT

import Foundation
import TaplineSystem

/// A loopback server that receives what sinks send, and answers as a test says.
///
/// `Fixtures/receiver.py` describes the answers.
package final class ReceivingServer: PythonServer, @unchecked Sendable {
    /// A request, and the status of its answer.
    package struct Received: Decodable, Sendable {
        /// The request line.
        package let line: String
        /// The fields by lower-case name.
        package let fields: [String: String]
        /// The decoded body, a character for each byte.
        package let body: String
        /// The status of the answer.
        package let status: Int
        /// The number of the connection.
        package let connection: Int

        /// The bytes of the body.
        package var bytes: [UInt8] {
            body.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) }
        }
    }

    private let log: String
    private let folder: TemporaryFolder

    /// Starts the server.
    ///
    /// - Parameters:
    ///   - answers: The answers as JSON.
    ///   - port: The port; 0 for a free one.
    ///   - certificate: The files of a certificate and its key, for TLS.
    /// - Throws: If it does not start.
    package init(
        _ answers: String = "[{}]",
        port: Int = 0,
        certificate: (file: String, key: String)? = nil
    ) throws {
        folder = try TemporaryFolder()
        log = try folder.write("", to: "log")
        let files = certificate.map { [$0.file, $0.key] } ?? []
        try super.init(
            "receiver",
            arguments: [log, "\(port)", answers] + files,
            scheme: certificate == nil ? "http" : "https",
            of: #filePath
        )
    }

    /// The requests so far.
    package var received: [Received] {
        get throws {
            try TestFiles.text(of: log).split(separator: "\n").map {
                try JSONDecoder().decode(Received.self, from: Data($0.utf8))
            }
        }
    }

    /// The requests that were accepted.
    package var accepted: [Received] {
        get throws { try received.filter { 200..<300 ~= $0.status } }
    }
}

/// A certificate for 127.0.0.1 that signs itself.
package struct LoopbackCertificate {
    /// Its file.
    package let file: String
    /// The file of its key.
    package let key: String

    /// Creates the files in a folder.
    package init(in folder: TemporaryFolder) throws {
        file = folder("certificate.pem")
        key = folder("key.pem")
        _ = try command(
            "openssl",
            [
                "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1",
                "-nodes", "-days", "2", "-subj", "/CN=tapline test",
                "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", key, "-out", file,
            ]
        )
    }
}
