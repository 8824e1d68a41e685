// SPDX-License-Identifier: MIT

internal import TaplineCrypto
package import TaplineNet
package import TaplineOperations
internal import TaplineSystem

/// The token that changes of a running pipeline need.
///
/// It is never an argument of a program, since every user of the machine can read those. It has no
/// description.
package struct ControlToken: Sendable {
    /// Where a token comes from.
    package enum Origin: Sendable {
        /// A random one, written to a file that only this user may read.
        case generated
        /// The first line of a file.
        case file(String)
        /// A text, from the environment.
        case text(String)
    }

    /// The name of the variable that has the token.
    package static let variable = "TAPLINE_CONTROL_TOKEN"
    /// The smallest number of bytes.
    package static let minBytes = 16
    private static let maxBytes = 1024

    /// The bytes of the token.
    let bytes: [UInt8]
    /// The file of a generated token; `nil` for another one.
    package let file: String?

    /// Takes or makes the token of a listener.
    init(
        _ origin: Origin,
        of address: ControlAddress,
        in ports: ProtectedPorts
    ) throws {
        switch origin {
        case .text(let text):
            bytes = Array(text.utf8)
            file = nil
        case .file(let path):
            bytes = try Self.read(path)
            file = nil
        case .generated:
            bytes = Self.random()
            switch address {
            case .loopback:
                file = try ports.write(bytes + [0x0A], to: Self.name(of: address))
            case .socket(let path):
                let place = Self.file(besideSocket: path)
                try FileSystem.remove(place)
                try File(place, for: .create).write((bytes + [0x0A]).span)
                file = place
            }
        }
        guard bytes.count >= Self.minBytes, bytes.count <= Self.maxBytes,
            bytes.allSatisfy({ 0x21...0x7E ~= $0 })
        else {
            throw ControlServerError(
                "the token for changes has \(bytes.count) bytes; expected at least "
                    + "\(Self.minBytes), printable ASCII without spaces"
            )
        }
    }

    /// Returns the token for a listener: that of a file, of the environment, or the one that the
    /// listener has generated.
    ///
    /// - Parameters:
    ///   - address: The listener.
    ///   - path: The file; `nil` for another place.
    ///   - variable: The value of the variable; `nil` or empty if it is not set.
    ///   - ports: The folder of generated tokens.
    ///   - service: That of the packaged service, which its user and root can read; the listener of
    ///     this user comes first.
    /// - Returns: The token; `nil` if there is none.
    /// - Throws: `FileError` if the file cannot be read.
    package static func find(
        for address: ControlAddress,
        file path: String?,
        variable: String?,
        in ports: ProtectedPorts = .ofUser(),
        ofService service: String = "/run/tapline/tapline"
    ) throws -> String? {
        if let path { return String(decoding: try read(path), as: UTF8.self) }
        if let variable, !variable.isEmpty { return variable }
        switch address {
        case .loopback:
            let name = name(of: address)
            let bytes = ports.read(name).map(firstLine) ?? (try? read("\(service)/\(name)"))
            return bytes.map { String(decoding: $0, as: UTF8.self) }
        case .socket(let socket):
            let bytes = try? read(file(besideSocket: socket))
            return bytes.map { String(decoding: $0, as: UTF8.self) }
        }
    }

    /// Removes the file of a generated token.
    func remove() { if let file { try? FileSystem.remove(file) } }

    private static func name(of address: ControlAddress) -> String { "control-\(address).token" }

    private static func file(besideSocket path: String) -> String { "\(path).token" }

    private static func read(_ path: String) throws -> [UInt8] {
        let file = try File(path, for: .readWithoutWaiting)
        let mode = try file.status().permissions & 0o777
        guard mode & 0o077 == 0 || mode & 0o077 == 0o040 else {
            throw ControlServerError(
                "others can read the token in '\(path)'; found mode \(String(mode, radix: 8)), "
                    + "expected 600 or 640"
            )
        }
        var bytes: [UInt8] = []
        while bytes.count <= maxBytes, !bytes.contains(0x0A),
            try file.read(appendingTo: &bytes, atMost: maxBytes + 1) > 0
        {}
        return firstLine(of: bytes)
    }

    private static func firstLine(of bytes: [UInt8]) -> [UInt8] {
        let line = bytes.prefix { $0 != 0x0A }
        return Array(line.last == 0x0D ? line.dropLast() : line)
    }

    /// 256 random bits in hexadecimal digits.
    private static func random() -> [UInt8] {
        let digits = Array("0123456789abcdef".utf8)
        return SecureRandom().bytes(count: 32).flatMap { byte in
            [digits[Int(byte >> 4)], digits[Int(byte & 15)]]
        }
    }
}
