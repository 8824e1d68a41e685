// SPDX-License-Identifier: MIT

internal import TaplineInspector
internal import TaplineNet
internal import TaplineSystem

/// The options that let other machines reach the page: TLS, a password, and the names of the server.
///
/// `inspect` has them as they are here, `run` and `exec` with the prefix `inspect-`.
struct RemoteOptions {
    /// The variable that has the password, which programs that Tapline starts do not get.
    static let variable = "TAPLINE_INSPECT_PASSWORD"

    private static let names = ["tls", "tls-cert", "tls-key", "host", "password-file"]

    private let invocation: Invocation
    private let prefix: String
    private let address: SocketAddress

    /// What to do with a certificate of the user's authority.
    static let trust =
        "browsers have to trust the authority of the certificate, which 'tapline ca export' writes"

    /// Returns the names of the options with a prefix.
    static func names(prefix: String) -> [String] { names.map { prefix + $0 } }

    /// Declares the options.
    static func declarations(prefix: String) -> [OptionDeclaration] {
        [
            OptionDeclaration(
                name: prefix + "tls",
                summary: "Serve it by TLS, with a certificate of 'tapline ca'."
            ),
            OptionDeclaration(
                name: prefix + "tls-cert",
                value: "FILE",
                summary: "Serve it by TLS, with this certificate (PEM)."
            ),
            OptionDeclaration(
                name: prefix + "tls-key",
                value: "FILE",
                summary: "The key of that certificate (PEM)."
            ),
            OptionDeclaration(
                name: prefix + "host",
                value: "NAME",
                repeats: true,
                summary: "A name by which browsers reach it."
            ),
            OptionDeclaration(
                name: prefix + "password-file",
                value: "FILE",
                summary: "Its password, if not in \(variable)."
            ),
        ]
    }

    /// Reads the options.
    ///
    /// - Parameters:
    ///   - invocation: The command line.
    ///   - prefix: The prefix of their names.
    ///   - address: The address that the page is served on.
    /// - Returns: The access; `nil` if the page is for this machine only.
    /// - Throws: `UsageError` if others could reach the page without TLS or a password, or if an
    ///   option is wrong.
    static func access(
        _ invocation: Invocation,
        prefix: String = "",
        at address: SocketAddress
    ) throws(UsageError) -> RemoteAccess? {
        let isGiven = names(prefix: prefix).contains(where: invocation.has)
        guard isGiven || !address.ip.isLoopback else { return nil }
        return try RemoteOptions(invocation: invocation, prefix: prefix, address: address).access()
    }

    private func access() throws(UsageError) -> RemoteAccess {
        let certificate = try certificate()
        let password = try password()
        let hosts = invocation.values(prefix + "host")
        guard let certificate, let password, !hosts.isEmpty || !address.ip.isAny else {
            throw missing(
                tls: certificate == nil,
                password: password == nil,
                host: hosts.isEmpty && address.ip.isAny
            )
        }
        do throws(InspectorError) {
            return try RemoteAccess(
                certificate,
                AccessPassword(password),
                hosts: hosts,
                at: address
            )
        } catch {
            throw UsageError(message: error.description)
        }
    }

    private func missing(tls: Bool, password: Bool, host: Bool) -> UsageError {
        let isOpen = !address.ip.isLoopback
        let found = [
            tls
                ? ("TLS", "'--\(prefix)tls', or '--\(prefix)tls-cert' and '--\(prefix)tls-key'")
                : nil,
            password ? ("a password", "'--\(prefix)password-file' or \(Self.variable)") : nil,
            host ? ("a name", "'--\(prefix)host NAME', by which browsers reach it") : nil,
        ].compactMap { $0 }
        let what =
            found.dropLast().map(\.0).joined(separator: ", ")
            + (found.count > 1 ? " and " : "") + (found.last?.0 ?? "")
        let reason = "since anyone who reaches the page could read the traffic"
        return UsageError(
            message: isOpen
                ? "cannot listen on \(address.ip) without \(what), \(reason)"
                : "a page with these options needs \(what)",
            help: "add " + found.map(\.1).joined(separator: "; ")
                + (isOpen ? "; or use 127.0.0.1, and 'ssh -L' from the other machine" : "")
        )
    }

    private func certificate() throws(UsageError) -> RemoteAccess.Certificate? {
        let file = invocation.value(prefix + "tls-cert")
        let key = invocation.value(prefix + "tls-key")
        let isIssued = invocation.has(prefix + "tls")
        switch (file, key) {
        case (let file?, let key?):
            guard !isIssued else {
                throw UsageError(message: "'--\(prefix)tls' excludes '--\(prefix)tls-cert'")
            }
            for path in [file, key] {
                do throws(FileError) {
                    try FileSystem.check(path, for: .read)
                } catch {
                    throw UsageError(message: "cannot read '\(path)': \(error.reason)")
                }
            }
            try checkMode(ofKey: key)
            return .files(certificate: file, key: key)
        case (.some, nil):
            throw UsageError(message: "'--\(prefix)tls-cert' needs '--\(prefix)tls-key'")
        case (nil, .some):
            throw UsageError(message: "'--\(prefix)tls-key' needs '--\(prefix)tls-cert'")
        case (nil, nil):
            return isIssued
                ? .authority(environment: invocation.environment.variables) : nil
        }
    }

    /// Refuses a key that everyone on the machine can read, and could impersonate the server with;
    /// distributions let a group read keys.
    private func checkMode(ofKey path: String) throws(UsageError) {
        let mode = ((try? FileSystem.status(of: path))?.permissions ?? 0) & 0o777
        guard mode & 0o007 == 0 else {
            throw UsageError(
                message: "everyone can read the key in '\(path)'; found mode "
                    + "\(String(mode, radix: 8)), expected 600 or 640",
                help: "run 'chmod 600' on the file"
            )
        }
    }

    /// The password of the file, or else of the variable; `nil` if there is neither.
    private func password() throws(UsageError) -> [UInt8]? {
        guard let path = invocation.value(prefix + "password-file") else {
            let value = invocation.inspectPassword ?? ""
            return value.isEmpty ? nil : Array(value.utf8)
        }
        let mode: UInt32
        let bytes: [UInt8]
        do throws(FileError) {
            let file = try File(path, for: .read)
            mode = try file.status().permissions & 0o777
            // One byte more than is allowed shows that it is too long.
            bytes = try SecretFile.firstLine(of: file, atMost: AccessPassword.maxBytes + 1)
        } catch {
            throw UsageError(message: "cannot read the password; \(error)")
        }
        guard mode & 0o077 == 0 else {
            throw UsageError(
                message: "others can read the password in '\(path)'; found mode "
                    + "\(String(mode, radix: 8)), expected 600",
                help: "change the password, and run 'chmod 600' on the file"
            )
        }
        return bytes
    }
}
