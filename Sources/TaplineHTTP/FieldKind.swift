// SPDX-License-Identifier: MIT

internal import TaplineModel

/// The fields that mean something to framing and to the connection; all others are `other`.
enum FieldKind: UInt8 {
    case other
    case connection
    case contentLength
    case expect
    case host
    case keepAlive
    case proxyAuthenticate
    case proxyAuthorization
    case proxyConnection
    case te
    case transferEncoding
    case upgrade
    case via

    /// The kind of a field by its name, in any case.
    @inline(__always)
    init(_ name: Span<UInt8>) {
        switch name.count {
        case 2: self = name.equalsIgnoringCase("te") ? .te : .other
        case 3: self = name.equalsIgnoringCase("via") ? .via : .other
        case 4: self = name.equalsIgnoringCase("host") ? .host : .other
        case 6: self = name.equalsIgnoringCase("expect") ? .expect : .other
        case 7: self = name.equalsIgnoringCase("upgrade") ? .upgrade : .other
        case 10: self = FieldKind.ofTen(name)
        case 14: self = name.equalsIgnoringCase("content-length") ? .contentLength : .other
        case 16: self = name.equalsIgnoringCase("proxy-connection") ? .proxyConnection : .other
        case 17: self = name.equalsIgnoringCase("transfer-encoding") ? .transferEncoding : .other
        case 18: self = name.equalsIgnoringCase("proxy-authenticate") ? .proxyAuthenticate : .other
        case 19:
            self = name.equalsIgnoringCase("proxy-authorization") ? .proxyAuthorization : .other
        default: self = .other
        }
    }

    private static func ofTen(_ name: Span<UInt8>) -> FieldKind {
        if name.equalsIgnoringCase("connection") { return .connection }
        return name.equalsIgnoringCase("keep-alive") ? .keepAlive : .other
    }
}

/// The elements of a comma-separated list, without the white space around them (RFC 9110 §5.6.1).
///
/// A comma within quotes ends an element too: none of the lists read here holds quoted text that
/// may be split wrongly, and where one does it only makes us stricter.
struct ListElements: ~Escapable {
    private let bytes: Span<UInt8>
    private var position = 0

    /// The elements of a value.
    @_lifetime(copy bytes)
    init(_ bytes: Span<UInt8>) { self.bytes = bytes }

    /// The range of the next element, which may be empty.
    mutating func next() -> Range<Int>? {
        guard position <= bytes.count else { return nil }
        let end = bytes.firstIndex(of: .ascii(","), from: position) ?? bytes.count
        let range = bytes.trimmed(position..<end)
        position = end + 1
        return range
    }
}
