// SPDX-License-Identifier: MIT

internal import TaplineModel

/// The fields that affect framing or the connection; all others are `other`.
enum FieldKind: UInt8 {
    case other
    case connection
    case contentLength
    case expect
    case host
    case keepAlive
    case proxyAuthorization
    case proxyConnection
    case te
    case trailer
    case transferEncoding
    case upgrade
    case via

    /// Determines the kind of a field from its name, ignoring case.
    ///
    /// The length leaves one or two candidates, and the first letter excludes all common names.
    @inline(__always)
    init(_ name: Span<UInt8>) {
        self = .other
        guard !name.isEmpty else { return }
        switch (name.count, name[0] | 0x20) {
        case (2, .ascii("t")): if name.isName("te") { self = .te }
        case (3, .ascii("v")): if name.isName("via") { self = .via }
        case (4, .ascii("h")): if name.isName("host") { self = .host }
        case (6, .ascii("e")): if name.isName("expect") { self = .expect }
        case (7, .ascii("t")): if name.isName("trailer") { self = .trailer }
        case (7, .ascii("u")): if name.isName("upgrade") { self = .upgrade }
        case (10, .ascii("c")): if name.isName("connection") { self = .connection }
        case (10, .ascii("k")): if name.isName("keep-alive") { self = .keepAlive }
        case (14, .ascii("c")): if name.isName("content-length") { self = .contentLength }
        case (16, .ascii("p")): if name.isName("proxy-connection") { self = .proxyConnection }
        case (17, .ascii("t")): if name.isName("transfer-encoding") { self = .transferEncoding }
        case (19, .ascii("p")):
            if name.isName("proxy-authorization") { self = .proxyAuthorization }
        default: break
        }
    }

    /// Whether Connection may exclude the field from forwarding by listing it.
    ///
    /// RFC 9110 §7.6.1: not if the field is meant for all recipients. Upgrade is always listed.
    var isListable: Bool {
        switch self {
        case .host, .contentLength, .upgrade: false
        default: true
        }
    }
}

/// The elements of a comma-separated list, without surrounding white space (RFC 9110 §5.6.1).
///
/// A comma within quotes also ends an element. None of the lists that are read here contain quoted
/// text that could be split wrongly, and if one does, the result is only stricter.
struct ListElements: ~Escapable {
    private let bytes: Span<UInt8>
    private var position = 0

    /// Makes the elements of a value.
    @_lifetime(copy bytes)
    init(_ bytes: Span<UInt8>) { self.bytes = bytes }

    /// Returns the range of the next element, which may be empty.
    mutating func next() -> Range<Int>? {
        guard position <= bytes.count else { return nil }
        let end = bytes.firstIndex(of: .ascii(","), from: position) ?? bytes.count
        let range = bytes.trimmed(position..<end)
        position = end + 1
        return range
    }
}
