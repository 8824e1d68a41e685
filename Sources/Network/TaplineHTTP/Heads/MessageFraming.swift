// SPDX-License-Identifier: MIT

internal import TaplineModel

/// How the body that follows a head is framed (RFC 9112 §6.3).
@frozen @usableFromInline
package enum BodyFraming: Sendable, Equatable {
    /// There is no body; the next message follows.
    case none
    /// A body of this many bytes.
    case length(Int)
    /// Chunks, then trailers.
    case chunked
    /// Everything until the connection ends; only in responses.
    case untilClose

    /// Whether bytes of a body may follow.
    @inlinable
    package var hasBody: Bool { self != .none && self != .length(0) }
}

/// What the fields of a head say about framing and connection, collected in one pass.
struct FramingFields {
    private(set) var contentLength: Int?
    private(set) var hasTransferEncoding = false
    private(set) var isChunked = false
    private(set) var connection: ConnectionOptions = []
    private(set) var hasUpgrade = false
    private(set) var expectsContinue = false
    private(set) var hasVia = false
    private(set) var hasProxyAuthorization = false
    /// The position of the Host field.
    private(set) var host: Int?

    private let side: HTTPError.Side
    private var failedCoding: HTTPError.Code?

    init(_ fields: borrowing FieldSection, _ side: HTTPError.Side) throws(HTTPError) {
        self.side = side
        for position in fields.indices {
            let kind = FieldKind(fields.name(at: position))
            if kind == .other { continue }
            try add(kind, fields.value(at: position), position)
        }
        try checkCoding()
    }

    private mutating func add(
        _ kind: FieldKind,
        _ value: Span<UInt8>,
        _ position: Int
    ) throws(HTTPError) {
        switch kind {
        case .contentLength: try addContentLength(value)
        case .transferEncoding: addTransferEncoding(value)
        case .connection: connection.formUnion(ofField: value)
        case .upgrade: hasUpgrade = true
        case .via: hasVia = true
        case .proxyAuthorization: hasProxyAuthorization = true
        case .expect: expectsContinue = expectsContinue || value.equalsIgnoringCase("100-continue")
        case .host:
            // RFC 9112 §3.2: the response to "more than one Host header field line" is 400.
            if host != nil, side == .request { throw HTTPError(.duplicateHost, side) }
            host = position
        default: break
        }
    }

    /// RFC 9112 §6.3, item 5, allows recipients to merge equal values.
    ///
    /// Refusing them is simpler and leaves no ambiguity.
    private mutating func addContentLength(_ value: Span<UInt8>) throws(HTTPError) {
        if contentLength != nil || value.firstIndex(of: .ascii(",")) != nil {
            throw HTTPError(.duplicateContentLength, side)
        }
        // RFC 9110 §8.6: only digits, neither a sign nor white space. Other readers could misread a
        // number that overflows.
        guard let length = value.decimal else { throw HTTPError(.invalidContentLength, side) }
        contentLength = length
    }

    /// Reads the codings in order, and keeps the first error.
    private mutating func addTransferEncoding(_ value: Span<UInt8>) {
        hasTransferEncoding = true
        var elements = ListElements(value)
        while let range = elements.next() {
            let coding = value.extracting(range)
            if isChunked {
                // RFC 9112 §6.1: chunked is applied once, and last (§6.3, item 4).
                let twice = coding.equalsIgnoringCase("chunked")
                failedCoding = failedCoding ?? (twice ? .chunkedTwice : .codingNotChunkedLast)
            } else if coding.equalsIgnoringCase("chunked") {
                isChunked = true
            } else if coding.isEmpty || coding.endOfToken(from: 0) == 0
                || coding.starts(withIgnoringCase: "chunked;")
            {
                failedCoding = failedCoding ?? .malformedCoding
            } else {
                failedCoding = failedCoding ?? .unsupportedCoding
            }
        }
    }

    private func checkCoding() throws(HTTPError) {
        guard hasTransferEncoding else { return }
        // RFC 9112 §6.3, item 3: a message with both may be a smuggling attempt; a response with
        // both is just as ambiguous.
        if contentLength != nil { throw HTTPError(.lengthAndCoding, side) }
        if let failedCoding, failedCoding != .unsupportedCoding {
            throw HTTPError(failedCoding, side)
        }
        // RFC 9112 §6.3, item 4: a request whose last coding is not chunked has an unknown length.
        // A response would end with the connection, but no such response occurs in practice.
        guard isChunked else { throw HTTPError(.codingNotChunkedLast, side) }
        // RFC 9112 §6.1: 501 for an unsupported coding.
        if let failedCoding { throw HTTPError(failedCoding, side) }
    }

    /// Returns whether the connection may carry another message after this one (RFC 9112 §9.3).
    func keepsAlive(_ version: HTTPVersion) -> Bool {
        if connection.contains(.close) { return false }
        return version == .http11 || connection.contains(.keepAlive)
    }
}

/// The supported versions.
enum HTTPVersion: UInt8 {
    case http10
    case http11
}
