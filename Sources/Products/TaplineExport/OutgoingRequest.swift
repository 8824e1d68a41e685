// SPDX-License-Identifier: MIT

package import TaplineFormats
package import TaplineModel

/// A recorded request as another client has to send it: without the fields that every client
/// creates for itself.
///
/// Left out are the pseudo-fields of HTTP/2 (RFC 9113 §8.3), framing, fields of the connection
/// (RFC 9110 §7.6.1), a `Host` that the URL states, and the coding of a body that was recorded
/// decoded.
package struct OutgoingRequest {
    /// A field; its value is not always UTF-8.
    package struct Field: Equatable {
        package let name: String
        package var value: [UInt8]

        /// The value as text; `nil` if it is not UTF-8.
        var text: String? { String(validating: value, as: UTF8.self) }
    }

    /// The method, a token.
    package let method: String
    /// `http` or `https`.
    let scheme: String
    /// Host and port, without user-info.
    let authority: String
    /// The request target in origin-form, or `*`; any bytes.
    let target: [UInt8]
    /// The fields in order, without those that clients create.
    package private(set) var fields: [Field] = []
    /// The content.
    let body: [UInt8]
    /// Whether content is sent, even if it is empty.
    let hasContent: Bool
    /// Whether the end of the content was not recorded.
    ///
    /// Independent of `hasContent`: a recording may have kept nothing of it.
    let isCut: Bool

    /// Creates a request from a record; `nil` if no client could send it.
    ///
    /// - Parameters:
    ///   - recorded: The recorded request.
    ///   - losses: Counts what is left out although it has a meaning.
    package init?(_ recorded: Request, _ losses: inout LossReport) {
        guard let method = recorded.method.text, method.isToken, method != "CONNECT" else {
            losses.count("request (method)")
            return nil
        }
        let url = recorded.url
        guard let parts = URLParts(url.span),
            let scheme = ByteString(url.span.extracting(parts.scheme)).text?.lowercased(),
            scheme == "http" || scheme == "https",
            let authority = ByteString(url.span.extracting(parts.hostPort)).text,
            authority.isAuthority
        else {
            losses.count("request (url)")
            return nil
        }
        self.method = method
        self.scheme = scheme
        self.authority = authority
        target = Self.target(recorded)
        body = recorded.body.bytes
        isCut = recorded.body.isTruncated
        let expectsContent = ["POST", "PUT", "PATCH"].contains(method)
        hasContent = !body.isEmpty || expectsContent || recorded.fields.contains("Content-Length")
        if isCut { losses.count("request.body.truncated") }
        if !recorded.trailers.isEmpty { losses.count("request.trailers") }
        collect(recorded, &losses)
    }

    /// The target in origin-form (RFC 9112 §3.2.1), or `*`.
    private static func target(_ recorded: Request) -> [UInt8] {
        let bytes = Array(copying: recorded.target.span)
        if let parts = URLParts(bytes.span) {
            return Array(copying: parts.originForm(of: bytes.span).span)
        }
        let isComplete = bytes.first == .ascii("/") || bytes == [.ascii("*")]
        return isComplete ? bytes : [.ascii("/")] + bytes
    }

    /// The URL with characters that URLs may not contain percent-encoded.
    ///
    /// - Parameter also: Further characters to encode, which a client would change.
    /// - Returns: The URL, and whether it differs from the recorded one.
    package func url(encoding also: String = "") -> (text: String, isChanged: Bool) {
        if target == [.ascii("*")] { return ("\(scheme)://\(authority)", true) }
        let encoded = TargetText.encoded(target, also: also)
        let isChanged = encoded.utf8.count != target.count || TargetText.hasDotSegments(target)
        return ("\(scheme)://\(authority)\(encoded)", isChanged)
    }

    /// The first value of a field, as text.
    func value(_ name: String) -> String? {
        let wanted = name.lowercased()
        return fields.first { $0.name.lowercased() == wanted }?.text
    }

    /// Whether there is a field with a name.
    func contains(_ name: String) -> Bool {
        let wanted = name.lowercased()
        return fields.contains { $0.name.lowercased() == wanted }
    }

    /// The fields with one value for each name, for clients that cannot repeat a field.
    ///
    /// Values are joined by commas, and those of `Cookie` by semicolons (RFC 9110 §5.3, RFC 6265
    /// §4.2.1).
    func joinedFields(_ losses: inout LossReport) -> [Field] {
        var joined: [Field] = []
        var positions: [String: Int] = [:]
        for field in fields {
            let key = field.name.lowercased()
            guard let position = positions[key] else {
                positions[key] = joined.count
                joined.append(field)
                continue
            }
            joined[position].value += Array((key == "cookie" ? "; " : ", ").utf8) + field.value
        }
        if joined.count < fields.count { losses.count("request.headers (repeated)") }
        return joined
    }

    // MARK: Fields

    private mutating func collect(_ recorded: Request, _ losses: inout LossReport) {
        var hasHost = false
        var isConnectionLost = false
        var isInvalid = false
        // The kept bytes are decoded if they have no coding, whatever the field says.
        let isDecoded = !body.isEmpty && recorded.body.coding.isEmpty
        for position in recorded.fields.indices {
            let name = recorded.fields.name(at: position)
            let value = Array(copying: recorded.fields.value(at: position))
            if !name.isEmpty, name[0] == .ascii(":") { continue }
            guard let name = ByteString(name).text, name.isToken, value.isFieldValue else {
                isInvalid = true
                continue
            }
            switch name.lowercased() {
            case "content-length", "keep-alive", "proxy-connection", "http2-settings": continue
            case "connection":
                if !value.isKeepAlive { isConnectionLost = true }
            case "te", "trailer", "transfer-encoding", "upgrade":
                isConnectionLost = true
            case "content-encoding" where isDecoded:
                if !value.isIdentity { losses.count("request.body.coding") }
            case "host":
                if hasHost { isInvalid = true }
                if !hasHost, value != Array(authority.utf8) {
                    fields.append(Field(name: name, value: value))
                }
                hasHost = true
            default: fields.append(Field(name: name, value: value))
            }
        }
        if isConnectionLost { losses.count("request.headers (connection)") }
        if isInvalid { losses.count("request.headers (malformed)") }
        if !recorded.body.contentType.isEmpty, !contains("Content-Type"), !body.isEmpty {
            fields.append(
                Field(name: "Content-Type", value: Array(copying: recorded.body.contentType.span))
            )
        }
    }
}

extension [UInt8] {
    /// Whether a field value may contain these bytes (RFC 9110 §5.5).
    package var isFieldValue: Bool {
        !contains { $0 < 0x20 && $0 != 0x09 || $0 == 0x7F }
    }

    fileprivate var isKeepAlive: Bool { span.equalsIgnoringCase("keep-alive") }

    fileprivate var isIdentity: Bool { span.equalsIgnoringCase("identity") }
}

extension String {
    /// Whether this is a token (RFC 9110 §5.6.2).
    package var isToken: Bool { !isEmpty && utf8.allSatisfy(\.isTokenByte) }

    /// Whether this can be host and port in a URL and as an argument of a program.
    package var isAuthority: Bool {
        !isEmpty
            && utf8.allSatisfy { byte in
                byte.isLetter || byte.isDigit || "-._~:[]!$&'()*+,;=%".utf8.contains(byte)
            }
    }
}
