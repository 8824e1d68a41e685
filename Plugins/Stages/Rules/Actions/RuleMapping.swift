// SPDX-License-Identifier: MIT

internal import TaplineModel

/// Where a request is sent instead; parts that are not given stay as they are.
struct RuleMapping: Sendable {
    var scheme: String?
    var host: String?
    var port: Int?
    var path: RuleTemplate?

    /// Sends a request elsewhere; `newPath` is the path with its values filled in.
    func apply(to request: inout Request, path newPath: [UInt8]?) {
        if scheme != nil || host != nil || port != nil {
            let newScheme = scheme.map { ByteString($0) } ?? request.scheme
            request.replaceOrigin(
                scheme: newScheme,
                authority: authority(of: request, scheme: newScheme)
            )
        }
        if let newPath { request.replacePath(newPath) }
    }

    /// The new host and port; a port that is the default of the scheme is left out.
    private func authority(of request: borrowing Request, scheme: ByteString) -> ByteString {
        let bytes = request.authority.span
        let parts = AuthorityParts(bytes)
        var authority = host.map { Array($0.utf8) } ?? Array(copying: bytes.extracting(parts.host))
        if let port {
            let isDefault = scheme.span.equalsIgnoringCase("https") ? port == 443 : port == 80
            if !isDefault { authority += Array(":\(port)".utf8) }
        } else {
            authority.append(copying: bytes.extracting(parts.host.upperBound..<bytes.count))
        }
        return ByteString(authority)
    }

    /// Whether a text can be a host: a name, an IPv4 address, or an IPv6 address in brackets.
    static func isHost(_ text: String) -> Bool {
        let bytes = Array(text.utf8)
        guard let first = bytes.first, let last = bytes.last else { return false }
        let isBracketed = first == .ascii("[") && last == .ascii("]") && bytes.count > 2
        return (isBracketed ? bytes.dropFirst().dropLast() : bytes[...]).allSatisfy { byte in
            byte.isLetter || byte.isDigit || byte == .ascii(".") || byte == .ascii("-")
                || byte == .ascii("_") || (isBracketed && byte == .ascii(":"))
        }
    }
}
