// SPDX-License-Identifier: MIT

import TaplineSystem
import TestSupport
import Testing

@testable import TaplineTLS

@Suite("Bundles of trusted certificates")
struct TrustBundleTests {
    /// Returns the root of another authority as text.
    private static func otherRoot() throws -> [UInt8] {
        try CertificateAuthority().certificatePEM
    }

    @Test("contain the certificates of the system and the variables once, and the root")
    func merged() throws {
        try withTemporaryFolder { folder in
            let mine = try CertificateAuthority().certificatePEM
            let (one, two, three) = try (Self.otherRoot(), Self.otherRoot(), Self.otherRoot())
            let noise = Array("# a comment\n-----BEGIN TRUSTED CERTIFICATE-----\nAA==\n".utf8)
            try write(noise + one + mine + one, to: "\(folder)/system.pem")
            try write(two + one, to: "\(folder)/two.pem")
            try write(three, to: "\(folder)/three.pem")
            let bundle = try TrustBundle(
                root: mine,
                [
                    "REQUESTS_CA_BUNDLE": "\(folder)/two.pem",
                    "CURL_CA_BUNDLE": "\(folder)/three.pem",
                ],
                systemFiles: ["\(folder)/missing.pem", "\(folder)/system.pem", "\(folder)/two.pem"]
            )
            #expect(bundle.others == 3)
            #expect(bundle.bytes == one + two + three + mine)
        }
    }

    @Test("begin with the file of SSL_CERT_FILE instead of the system's if it exists")
    func named() throws {
        try withTemporaryFolder { folder in
            let mine = try CertificateAuthority().certificatePEM
            let (one, two) = try (Self.otherRoot(), Self.otherRoot())
            try write(one, to: "\(folder)/system.pem")
            try write(two, to: "\(folder)/mine.pem")
            for (path, expected) in [("\(folder)/mine.pem", two), ("\(folder)/missing", one)] {
                let bundle = try TrustBundle(
                    root: mine,
                    ["SSL_CERT_FILE": path],
                    systemFiles: ["\(folder)/system.pem"]
                )
                #expect(bundle.bytes == expected + mine)
            }
        }
    }

    @Test("contain only the root if there is nothing else")
    func alone() throws {
        let mine = try CertificateAuthority().certificatePEM
        let bundle = try TrustBundle(root: mine, [:], systemFiles: [])
        #expect(bundle == (try TrustBundle(root: mine, [:], systemFiles: ["/nowhere"])))
        #expect(bundle.others == 0)
        #expect(bundle.bytes == mine)
    }

    @Test("are written beside the root, and openssl trusts their certificates")
    func written() throws {
        try withTemporaryFolder { folder in
            let store = AuthorityStore(folder: "\(folder)/ca")
            let authority = try CertificateAuthority(store)
            try write(Self.otherRoot(), to: "\(folder)/other.pem")
            let environment = ["SSL_CERT_FILE": "\(folder)/other.pem"]
            for _ in 0..<2 {
                let bundle = try TrustBundle(of: authority, environment: environment)
                try store.writeBundle(bundle)
                #expect(bundle.others == 1)
            }
            #expect(try FileSystem.status(of: store.bundlePath)?.permissions == 0o600)
            #expect(
                try FileSystem.names(in: store.folder).sorted()
                    == ["bundle.pem", "root-key.pem", "root.pem"]
            )
            for file in ["\(folder)/other.pem", store.certificatePath] {
                let found = try runShell(
                    "openssl verify -no-CAfile -no-CApath -CAfile \(store.bundlePath) \(file)"
                )
                #expect(found.status == 0, "\(found.output)")
            }
            // Programs that use the bundle keep trusting the current certificates.
            let former = try #require(try store.rotate(environment: environment))
            let found = try runShell(
                "openssl verify -no-CAfile -no-CApath -CAfile \(store.bundlePath) "
                    + store.certificatePath
            )
            #expect(found.status == 0, "\(found.output)")
            #expect(try FileSystem.status(of: "\(former)/bundle.pem") != nil)
            let bundle = try TrustBundle(of: CertificateAuthority(store), environment: environment)
            #expect(bundle.others == 1)
        }
    }

    @Test("do not contain the old root of an earlier bundle")
    func former() throws {
        try withTemporaryFolder { folder in
            let store = AuthorityStore(folder: "\(folder)/ca")
            let old = try CertificateAuthority(store).certificatePEM
            try store.writeBundle(TrustBundle(of: CertificateAuthority(store), environment: [:]))
            let environment = [
                "SSL_CERT_FILE": store.bundlePath, "CURL_CA_BUNDLE": store.bundlePath,
            ]
            _ = try store.rotate(environment: environment)
            let authority = try CertificateAuthority(store)
            let bundle = try TrustBundle(of: authority, environment: environment)
            #expect(bundle == (try TrustBundle(of: authority, environment: [:])))
            let found = TrustBundle.certificates(in: bundle.bytes).map(Array.init)
            let former = try #require(TrustBundle.certificates(in: old).first.map(Array.init))
            #expect(!found.isEmpty && !found.contains(former))
        }
    }

    @Test("have a Java trust store whose certificates openssl reads")
    func java() throws {
        try withTemporaryFolder { folder in
            let store = AuthorityStore(folder: "\(folder)/ca")
            let authority = try CertificateAuthority(store)
            try write(Self.otherRoot() + Self.otherRoot(), to: "\(folder)/other.pem")
            let environment = ["SSL_CERT_FILE": "\(folder)/other.pem"]
            let bundle = try TrustBundle(of: authority, environment: environment)
            try store.writeJavaStore(bundle)
            let command =
                "openssl pkcs12 -in \(store.javaStorePath) -passin pass:changeit -nokeys"
            let found = try runShell(command)
            #expect(found.status == 0, "\(found.output)")
            #expect(TrustBundle.certificates(in: Array(found.output.utf8)).count == 3)
            // The attribute that Java requires for a trusted certificate.
            #expect(found.output.occurrences(of: "2.16.840.1.113894.746875.1.1") == 3)
            #expect(try runShell("\(command) -passin pass:other").status != 0)
            _ = try store.rotate(environment: environment)
            let root = TrustBundle.certificates(in: try CertificateAuthority(store).certificatePEM)
            let renewed = TrustBundle.certificates(in: Array(try runShell(command).output.utf8))
            #expect(renewed.count == 3 && root.count == 1)
            #expect(renewed.contains { Array($0) == root.first.map(Array.init) })
        }
    }

    @Test("throw an error with the path if they cannot be read or written")
    func errors() throws {
        try withTemporaryFolder { folder in
            let store = AuthorityStore(folder: "\(folder)/ca")
            let authority = try CertificateAuthority(store)
            let bundle = try TrustBundle(of: authority, environment: [:])
            try FileSystem.makeFolder(store.bundlePath)
            let error = #expect(throws: TLSError.self) { try store.writeBundle(bundle) }
            #expect(error?.message.contains(store.bundlePath) == true)
            #expect(try FileSystem.names(in: store.folder).count == 3)
        }
    }
}

extension String {
    /// Returns how often a text occurs.
    fileprivate func occurrences(of text: String) -> Int { ranges(of: text).count }
}
