// SPDX-License-Identifier: MIT

import Glibc
import TaplineModel
import TaplineSystem
import TaplineTLS
import TestSupport
import Testing

@testable import TaplineNet

/// Answers one request of each connection over TLS, and closes normally.
private final class GreetingServer: ConnectionDelegate {
    private let session: TLSSession
    private let events: Events

    init(_ session: TLSSession, _ events: Events) {
        self.session = session
        self.events = events
    }

    func connection(_ connection: TCPConnection, received bytes: Span<UInt8>) {
        var position = 0
        var output: [UInt8] = []
        do throws(TLSError) {
            if !session.isEstablished {
                _ = try session.handshake(bytes, from: &position, replies: &output)
            }
            var buffer = [UInt8](repeating: 0, count: 16_384)
            var space = buffer.mutableSpan
            if session.isEstablished,
                case .done(let count) = try session.read(
                    bytes,
                    from: &position,
                    into: &space,
                    replies: &output
                ), buffer[..<count].contains(0x0a)
            {
                let body = "\(session.info.version) \(session.isResumed)\n"
                let head = "HTTP/1.1 200 OK\r\nContent-Length: \(body.utf8.count)\r\n\r\n"
                try session.write((head + body).utf8.span, into: &output)
                session.close(into: &output)
                connection.send(output.span)
                return connection.close()
            }
        } catch {
            events.add("\(error.code.rawValue) \(error.alert ?? 0)")
        }
        connection.send(output.span)
    }

    func connectionEndedInput(_ connection: TCPConnection) { connection.close() }
    func connectionDrained(_ connection: TCPConnection) {}
    func connectionClosed(_ connection: TCPConnection, error: NetError?) {}
}

@Suite("TLS with other programs")
struct TLSPeerTests {
    /// Runs a shell command against a server for `localhost`, with its port in `$PORT` and the
    /// authority's certificate in `$CA`.
    private func serve(
        _ command: String,
        options: TLSServerOptions = TLSServerOptions()
    ) throws -> (output: String, events: [String]) {
        let authority = try CertificateAuthority()
        let context = try TLSContext(server: options)
        let leaf = try authority.leaf(for: ServerName("localhost"))
        let events = Events()
        return try withTemporaryFolder { folder in
            try write(authority.certificatePEM, to: "\(folder)/ca.pem")
            var output = ""
            try withServer { connection in
                guard let session = try? TLSSession(accepting: context, as: leaf) else {
                    return connection.abandon()
                }
                connection.delegate = GreetingServer(session, events)
                connection.startReading()
            } _: { port, _ in
                output = try runShell("PORT=\(port); CA=\(folder)/ca.pem; cd \(folder); \(command)")
                    .output
            }
            return (output, events.all)
        }
    }

    @Test("curl accepts the certificate if it trusts the authority", arguments: ["1.2", "1.3"])
    func curl(version: String) throws {
        let result = try serve(
            "curl -sS --noproxy '*' --cacert $CA --tlsv\(version) --tls-max \(version) "
                + "--resolve localhost:$PORT:127.0.0.1 https://localhost:$PORT/"
        )
        #expect(result.output == "TLSv\(version) false\n")
        #expect(result.events.isEmpty)
    }

    @Test("curl sends an alert if it does not trust the authority")
    func untrusted() throws {
        let result = try serve(
            "curl -sS --noproxy '*' --resolve localhost:$PORT:127.0.0.1 https://localhost:$PORT/; echo $?"
        )
        #expect(result.output.hasSuffix("\n60\n"))
        #expect(result.events == ["client_untrusted 48"])
    }

    @Test("openssl s_client resumes", arguments: ["tls1_2", "tls1_3"])
    func resumption(version: String) throws {
        let client =
            "openssl s_client -connect 127.0.0.1:$PORT -servername localhost -CAfile $CA "
            + "-verify_return_error -\(version) -alpn http/1.1"
        let result = try serve(
            "printf 'GET\\n' | \(client) -ign_eof -sess_out s 2>&1 | grep -E '^(New|Reused)|ALPN|^TLS|Verif'; "
                + "printf 'GET\\n' | \(client) -ign_eof -sess_in s 2>&1 | grep -E '^(New|Reused)|^TLSv'"
        )
        #expect(result.output.contains("New, TLSv"))
        #expect(result.output.contains("ALPN protocol: http/1.1"))
        #expect(result.output.contains("Verification: OK"))
        #expect(result.output.contains("Reused, TLSv"))
        #expect(result.output.contains(" true\n"))
    }

    @Test("Python's ssl exchanges data and gets a proper close")
    func python() throws {
        let client = Python.words("tls_client").joined(separator: " ")
        let result = try serve("\(client) $PORT $CA")
        #expect(result.output == "false TLSv1.3\n")
    }
}
