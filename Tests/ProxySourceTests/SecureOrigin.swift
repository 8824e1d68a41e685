// SPDX-License-Identifier: MIT

import Foundation
import TaplineConnections
import TaplineModel
import TaplineTLS
import TaplineSystem
import TestSupport

@testable import ProxySource

/// A Python server with a certificate from openssl, by default for HTTPS.
final class SecureOrigin {
    private let home: TemporaryFolder
    private let server: PythonServer

    var folder: String { home.path }
    /// The certificate, which is its own authority, by default only for `localhost`.
    var certificate: String { "\(folder)/cert.pem" }
    /// Its key.
    var key: String { "\(folder)/key.pem" }
    /// The certificate of the authority of a proxy that `intercepting` describes.
    var authority: String { "\(folder)/ca/root.pem" }
    var port: Int { server.port }
    var url: String { "https://localhost:\(port)" }

    /// The flaw of a certificate, if any.
    enum Certificate: String, CaseIterable {
        /// None, if the client trusts the certificate itself.
        case good
        /// It has expired.
        case expired
        /// It is not valid yet.
        case future
        /// An unknown authority has signed it.
        case strange
        /// The authority that has signed it, `ca.pem`, has expired.
        case oldAuthority
        /// It was issued for clients.
        case purpose
        /// Only its subject names the host.
        case commonName
        /// Its subject names the host, and a mailbox is its alternative name.
        case mailbox
        /// Its subject names the host, and its alternative name is an address: `127.0.0.1`.
        case address
        /// It has the address as a name, in its subject and as alternative name.
        case addressAsName

        /// The common name of its subject.
        fileprivate var subject: String {
            switch self {
            case .commonName, .mailbox, .address: "localhost"
            case .addressAsName: "127.0.0.1"
            default: "test"
            }
        }

        /// Its purpose, as an extension.
        fileprivate var alternativeName: String {
            switch self {
            case .commonName: ""
            case .mailbox: "subjectAltName=email:localhost@localhost"
            case .address: "subjectAltName=IP:127.0.0.1"
            case .addressAsName: "subjectAltName=DNS:127.0.0.1"
            default: "subjectAltName=DNS:localhost"
            }
        }
    }

    /// Starts the server.
    ///
    /// It answers with the path, whether the TLS session was resumed, and the client's name.
    ///
    /// Another program gets the files of certificate and key and an argument, and prints its port.
    init(
        _ certificate: Certificate = .good,
        asksForCertificate: Bool = false,
        program: String = "secure_server",
        argument: String = ""
    ) async throws {
        home = try TemporaryFolder()
        let folder = home.path
        _ = try await command("sh", ["-c", Self.script(certificate), "sh", folder])
        server = try PythonServer(
            program,
            arguments: [
                "\(folder)/cert.pem", "\(folder)/key.pem", asksForCertificate ? "asks" : argument,
            ]
        )
    }

    /// Returns the script that makes key and certificate in the folder `$1`.
    private static func script(_ certificate: Certificate) -> String {
        let request =
            "set -e; cd \"$1\"; openssl req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes "
            + "-subj /CN=\(certificate.subject) -keyout key.pem -out request.pem; "
            + "echo \(certificate.alternativeName) >extensions; "
        let sign = "openssl x509 -req -in request.pem -extfile extensions -out cert.pem "
        return switch certificate {
        case .good, .commonName, .mailbox, .address, .addressAsName:
            request + sign + "-signkey key.pem -days 2"
        case .expired: request + sign + "-signkey key.pem -days -1"
        case .future:
            request + "touch index; echo 01 >serial; "
                + "printf '[ca]\ndefault_ca=a\n[a]\ndatabase=index\nserial=serial\npolicy=p\n"
                + "default_md=sha256\nnew_certs_dir=.\n[p]\ncommonName=supplied\n' >config; "
                + "openssl ca -batch -config config -selfsign -keyfile key.pem -in request.pem "
                + "-extfile extensions -startdate 20390101000000Z -enddate 20400101000000Z "
                + "-out cert.pem -notext"
        case .strange:
            request + "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes "
                + "-subj /CN=nobody -keyout ca-key.pem -out ca.pem; "
                + sign + "-CA ca.pem -CAkey ca-key.pem -CAcreateserial -days 2"
        case .oldAuthority:
            request + "openssl req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes "
                + "-subj /CN=nobody -keyout ca-key.pem -out ca-request.pem; "
                + "echo basicConstraints=critical,CA:TRUE >ca-extensions; "
                + "openssl x509 -req -in ca-request.pem -extfile ca-extensions "
                + "-signkey ca-key.pem -days -1 -out ca.pem; "
                + sign + "-CA ca.pem -CAkey ca-key.pem -CAcreateserial -days 2"
        case .purpose:
            request + "echo extendedKeyUsage=clientAuth >>extensions; "
                + sign + "-signkey key.pem -days 2"
        }
    }

    /// Returns the settings of a proxy that trusts it.
    func settings() -> ProxySettings {
        var settings = ProxySettings()
        settings.threads = 1
        settings.servers.trustsSystem = false
        settings.servers.authorityFiles = [certificate]
        return settings
    }

    /// Returns the settings of a reverse proxy in front of it.
    func upstream(host: String = "localhost", isSecure: Bool = true) -> ProxySettings {
        var settings = settings()
        settings.upstream = Origin(authority: "\(host):\(port)".utf8.span, isSecure: isSecure)
        return settings
    }

    /// Returns the settings of a proxy that reads its HTTPS, with an authority of its own.
    func intercepting(passing: [String] = []) -> ProxySettings {
        var settings = settings()
        settings.interception = InterceptionRules(
            hosts: [Glob("*")],
            passthrough: passing.map { Glob($0) }
        )
        settings.authority = AuthorityStore(folder: "\(folder)/ca")
        return settings
    }
}
