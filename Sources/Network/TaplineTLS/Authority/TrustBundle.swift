// SPDX-License-Identifier: MIT

internal import COpenSSL
internal import TaplineSystem

/// Certificates as text: those that the user's programs trust so far, followed by the root.
///
/// A program that gets a file from a variable trusts only the certificates in it. With the root
/// alone, it could reach no other server.
package struct TrustBundle: Sendable, Equatable {
    /// The text (PEM), with each certificate once.
    package let bytes: [UInt8]
    /// The number of certificates besides the root; 0 if no file was found.
    package let others: Int

    /// Reads the certificates that are trusted so far.
    ///
    /// These are in the file that `SSL_CERT_FILE` names, or otherwise the system's file, and in the
    /// files that `REQUESTS_CA_BUNDLE` and `CURL_CA_BUNDLE` name. Missing files are skipped.
    ///
    /// - Parameters:
    ///   - authority: The authority whose root is added.
    ///   - environment: The variables.
    /// - Throws: `TLSError` if a file exists but cannot be read.
    package init(
        of authority: CertificateAuthority,
        environment: [String: String]
    ) throws(TLSError) {
        // An earlier bundle may contain a root that is no longer in use.
        let own = authority.store?.bundlePath
        try self.init(
            root: authority.certificatePEM,
            environment.filter { $0.value != own },
            systemFiles: Self.systemFiles
        )
    }

    /// Makes a bundle with the root as text and the possible paths of the system's file.
    init(
        root: [UInt8],
        _ environment: [String: String],
        systemFiles: [String]
    ) throws(TLSError) {
        let mine = Set(Self.certificates(in: root).map(Array.init))
        var seen = mine
        var text: [UInt8] = []
        var others = 0
        let first = environment["SSL_CERT_FILE"].map { [$0] + systemFiles } ?? systemFiles
        let more = ["REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE"].compactMap { environment[$0] }
        for places in [first] + more.map({ [$0] }) {
            guard let file = try Self.firstFile(places) else { continue }
            for certificate in Self.certificates(in: file)
            where seen.insert(Array(certificate)).inserted {
                text += certificate
                text.append(UInt8(ascii: "\n"))
                others += 1
            }
        }
        bytes = text + root
        self.others = others
    }

    /// The paths of the system's file: the default of OpenSSL, Debian and Arch, Fedora, older
    /// Fedora, SUSE, Alpine and macOS.
    private static var systemFiles: [String] {
        let own = unsafe X509_get_default_cert_file().map { unsafe String(cString: $0) }
        return [own].compactMap(\.self) + [
            "/etc/ssl/certs/ca-certificates.crt",
            "/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem",
            "/etc/pki/tls/certs/ca-bundle.crt", "/etc/ssl/ca-bundle.pem", "/etc/ssl/cert.pem",
        ]
    }

    /// Returns the content of the first file that exists.
    private static func firstFile(_ paths: [String]) throws(TLSError) -> [UInt8]? {
        do throws(FileError) {
            for path in paths where try FileSystem.status(of: path)?.kind == .regular {
                var bytes: [UInt8] = []
                let file = try File(path, for: .readWithoutWaiting)
                while bytes.count < largest, try file.read(appendingTo: &bytes, atMost: 65_536) > 0
                {}
                return bytes
            }
            return nil
        } catch {
            throw TLSError(.authority, "cannot read the certificates trusted so far; \(error)")
        }
    }

    /// The maximum number of bytes that are read; files of systems have 200 KiB.
    private static let largest = 16 << 20

    /// Returns the certificates of a text, from the first dash to the last (RFC 7468 §5).
    ///
    /// Any text between them is skipped.
    static func certificates(in text: [UInt8]) -> [ArraySlice<UInt8>] {
        let begin = Array("-----BEGIN CERTIFICATE-----".utf8)
        let end = Array("-----END CERTIFICATE-----".utf8)
        var found: [ArraySlice<UInt8>] = []
        var start: Int?
        for line in text.split(separator: UInt8(ascii: "\n")) {
            if line.starts(with: begin) {
                start = line.startIndex
            } else if line.starts(with: end), let from = start.take() {
                found.append(text[from..<line.startIndex + end.count])
            }
        }
        return found
    }
}

extension AuthorityStore {
    /// The file of the bundle, beside the root.
    package var bundlePath: String { "\(folder)/bundle.pem" }

    /// The same certificates as a trust store for Java.
    package var javaStorePath: String { "\(folder)/trust.p12" }

    /// Writes the bundle.
    ///
    /// **Throws**: `TLSError` if it cannot be written; an existing file then remains.
    package func writeBundle(_ bundle: TrustBundle) throws(TLSError) {
        try replace(bundlePath, with: bundle.bytes)
    }

    /// Writes the bundle as a trust store for Java.
    ///
    /// **Throws**: `TLSError` if it cannot be made or written; an existing file then remains.
    package func writeJavaStore(_ bundle: TrustBundle) throws(TLSError) {
        try replace(javaStorePath, with: bundle.javaStore())
    }

    /// Replaces a file atomically, so that no program reads a partial file.
    private func replace(_ target: String, with bytes: [UInt8]) throws(TLSError) {
        do throws(FileError) {
            let path = "\(target)-\(String(UInt64.random(in: 0...UInt64.max), radix: 36))"
            do throws(FileError) {
                try File(path, for: .create).write(bytes.span)
                try FileSystem.move(path, to: target)
            } catch {
                try? FileSystem.remove(path)
                throw error
            }
        } catch {
            throw TLSError(.authority, "cannot write the trusted certificates; \(error)")
        }
    }
}
