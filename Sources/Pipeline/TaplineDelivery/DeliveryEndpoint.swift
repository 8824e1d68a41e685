// SPDX-License-Identifier: MIT

package import TaplineConnections
package import TaplineModel

/// The address that a sink sends to: a server, and the target on it.
package struct DeliveryEndpoint: Sendable {
    /// The server.
    package let origin: Origin
    /// The path with the query, in origin-form (RFC 9112 §3.2.1).
    package let target: ByteString

    /// Parses a URL with the scheme `http` or `https`.
    ///
    /// `nil` for another text, and for a URL with a user, a fragment, or a byte that a target must
    /// not contain.
    package init?(url: String) {
        let bytes = url.utf8.span
        guard let parts = URLParts(bytes), parts.userInfo.isEmpty, parts.fragment.isEmpty,
            bytes.count == parts.target.upperBound
        else { return nil }
        for index in bytes.indices where !(0x21...0x7E ~= bytes[index]) { return nil }
        let scheme = bytes.extracting(parts.scheme)
        let isSecure = scheme.equalsIgnoringCase("https")
        guard isSecure || scheme.equalsIgnoringCase("http"),
            let origin = Origin(authority: bytes.extracting(parts.hostPort), isSecure: isSecure)
        else { return nil }
        self.origin = origin
        target = parts.originForm(of: bytes)
    }

    private init(_ origin: Origin, _ target: ByteString) {
        self.origin = origin
        self.target = target
    }

    /// Returns another endpoint of the same server, whose target is valid.
    package func replacing(target: ByteString) -> DeliveryEndpoint {
        DeliveryEndpoint(origin, target)
    }

    /// Returns the endpoint at a path below this one; a query stays at the end.
    package func appending(_ path: String) -> DeliveryEndpoint {
        let parts = TargetParts(target.span)
        var bytes = Array(copying: target.span.extracting(parts.path))
        if bytes.last == .ascii("/") { bytes.removeLast() }
        bytes += Array(path.utf8)
        bytes.append(copying: target.span.extracting(parts.path.upperBound..<target.count))
        return DeliveryEndpoint(origin, ByteString(bytes))
    }
}

extension DeliveryEndpoint: CustomStringConvertible {
    /// Host and port; paths and queries may contain secrets.
    package var description: String { "\(origin.hostPort)" }
}
