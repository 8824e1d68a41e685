// SPDX-License-Identifier: MIT

package import TaplineModel

extension RequestHead {
    /// Makes a head from the fields of an HTTP/2 message.
    ///
    /// The target is in origin-form or `*`; for CONNECT it is the authority, except for extended
    /// CONNECT (RFC 8441), which has a path. Without `:authority` the authority is that of Host.
    ///
    /// - Parameters:
    ///   - list: The decoded fields.
    ///   - ends: Whether the message ends with its head.
    ///   - scheme: The scheme of the connection, for CONNECT.
    ///   - size: The number of bytes of the head on the wire, which become `headerBytes`.
    /// - Throws: Why the message is malformed: reset the stream (RFC 9113 §8.1.1).
    package init(
        _ list: borrowing FieldList,
        ends: Bool,
        scheme: ByteString,
        size: Int
    ) throws(HTTPError) {
        let (pseudo, fields, framingFields) = try list.parts()
        guard let methodRange = pseudo.method else { throw list.missing(":method") }
        let method = list.text(methodRange)
        let isConnect = method.isExactly("CONNECT")
        let isTunnel = isConnect && pseudo.connectProtocol == nil
        let authority = try Self.authority(list, pseudo, fields, framingFields)
        // RFC 9113 §8.5, RFC 8441 §4.
        if isConnect, pseudo.authority == nil { throw list.missing(":authority") }
        let form: TargetForm
        let target: ByteString
        if isTunnel {
            // RFC 9113 §8.5: neither scheme nor path. The port cannot be omitted.
            guard pseudo.scheme == nil, pseudo.path == nil else {
                let name = pseudo.scheme == nil ? ":path" : ":scheme"
                throw list.error(
                    .invalidPseudoField,
                    "a CONNECT request has the pseudo-field '\(name)'"
                )
            }
            guard Authority(authority.span)?.port != nil else {
                throw list.error(
                    .invalidTargetForm,
                    "the authority of a CONNECT request has no port"
                )
            }
            (form, target) = (.authority, authority)
        } else {
            (form, target) = try Self.target(list, pseudo, isExtended: isConnect)
        }
        let request = Request(
            method: ByteString(method),
            target: target,
            scheme: pseudo.scheme.map { ByteString(list.text($0)) } ?? scheme,
            authority: authority,
            version: "HTTP/2",
            fields: fields
        )
        self.init(request: consume request, form: form, lineBytes: 0, headerBytes: size)
        keepsAlive = true
        framing = try Self.framing(framingFields, isConnect: isConnect, ends: ends)
        hasVia = framingFields.hasVia
        hasProxyAuthorization = framingFields.hasProxyAuthorization
        expectsContinue = framingFields.expectsContinue && framing.hasBody
        kind = RequestKind(method: self.request.method)
    }

    /// Returns the authority: that of the pseudo-field, or Host.
    private static func authority(
        _ list: borrowing FieldList,
        _ pseudo: PseudoFields,
        _ fields: borrowing FieldSection,
        _ framingFields: FramingFields
    ) throws(HTTPError) -> ByteString {
        guard let range = pseudo.authority else {
            guard let host = framingFields.host else {
                throw list.error(.missingHost, "there is neither ':authority' nor a Host field")
            }
            return ByteString(fields.value(at: host))
        }
        let authority = list.text(range)
        // RFC 9113 §8.3.1: if both are present and differ, the message may be treated as malformed.
        if let host = framingFields.host {
            let port = pseudo.scheme.flatMap { Authority.defaultPort(of: list.text($0)) }
            guard Authority.areSame(authority, fields.value(at: host), defaultPort: port) else {
                throw list.error(.conflictingHost)
            }
        }
        return ByteString(authority)
    }

    /// Returns the target of a request that is no tunnel (RFC 9113 §8.3.1).
    private static func target(
        _ list: borrowing FieldList,
        _ pseudo: PseudoFields,
        isExtended: Bool
    ) throws(HTTPError) -> (TargetForm, ByteString) {
        guard pseudo.scheme != nil, let path = pseudo.path else {
            throw list.missing(pseudo.scheme == nil ? ":scheme" : ":path")
        }
        // RFC 8441 §4: only with CONNECT.
        if pseudo.connectProtocol != nil, !isExtended {
            throw list.error(
                .invalidPseudoField,
                "the pseudo-field ':protocol' is only for CONNECT"
            )
        }
        let target = list.text(path)
        let isOptions = pseudo.method.map { list.text($0).isExactly("OPTIONS") } ?? false
        if target.isExactly("*"), isOptions { return (.asterisk, ByteString(target)) }
        guard !target.isEmpty, target[0] == .ascii("/") else {
            throw list.error(
                .invalidTargetForm,
                "the pseudo-field ':path' does not begin with '/'"
            )
        }
        return (.origin, ByteString(target))
    }

    private static func framing(
        _ fields: FramingFields,
        isConnect: Bool,
        ends: Bool
    ) throws(HTTPError) -> BodyFraming {
        if isConnect {
            // RFC 9110 §9.3.6: CONNECT has no content; what follows is the tunnel's data.
            if fields.contentLength != nil {
                let message = "a CONNECT request has the field 'content-length'"
                throw HTTPError(.bodyOfConnect, .request, message)
            }
            return .none
        }
        if let length = fields.contentLength {
            // RFC 9113 §8.1.1: it has to be the sum of the DATA frames.
            if ends, length > 0 { throw HTTPError(.lengthMismatch, .request) }
            return .length(length)
        }
        return ends ? .none : .chunked
    }

    /// Returns the protocol of an extended CONNECT (RFC 8441 §4); empty for other requests.
    package static func connectProtocol(_ list: borrowing FieldList) -> ByteString {
        guard let range = try? list.pseudoFields().connectProtocol else { return ByteString() }
        return ByteString(list.text(range))
    }
}
