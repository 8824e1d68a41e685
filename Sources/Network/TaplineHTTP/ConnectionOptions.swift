// SPDX-License-Identifier: MIT

package import TaplineModel

/// The options in a message's Connection fields (RFC 9110 §7.6.1).
@frozen @usableFromInline
package struct ConnectionOptions: OptionSet, Sendable, Equatable {
    /// The bits.
    @usableFromInline package let rawValue: UInt8

    /// Makes options from bits.
    @inlinable
    package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// The connection ends after this message.
    @inlinable
    package static var close: Self { Self(rawValue: 1) }
    /// The connection stays open even though the version is HTTP/1.0.
    @inlinable
    package static var keepAlive: Self { Self(rawValue: 2) }
    /// The Upgrade field applies to this connection.
    @inlinable
    package static var upgrade: Self { Self(rawValue: 4) }
    /// The fields also list names of fields that apply to this connection only.
    @inlinable
    package static var fields: Self { Self(rawValue: 8) }

    /// Adds the options of one Connection field.
    mutating func formUnion(ofField value: Span<UInt8>) {
        var elements = ListElements(value)
        while let range = elements.next() {
            let element = value.extracting(range)
            if element.isEmpty { continue }
            if element.equalsIgnoringCase("close") {
                insert(.close)
            } else if element.equalsIgnoringCase("keep-alive") {
                insert(.keepAlive)
            } else if element.equalsIgnoringCase("upgrade") {
                insert(.upgrade)
            } else {
                insert(.fields)
            }
        }
    }
}

extension FieldSection {
    /// Returns whether a comma-separated field contains an element, ignoring ASCII case.
    ///
    /// Examples: `fields.lists("Connection", "upgrade")`, and for WebSocket
    /// `fields.lists("Upgrade", "websocket")`.
    package func lists(_ name: String, _ element: String) -> Bool {
        lists(name.utf8.span, element.utf8.span)
    }

    /// Returns whether a comma-separated field contains an element, ignoring ASCII case.
    package func lists(_ name: Span<UInt8>, _ element: Span<UInt8>) -> Bool {
        var start = 0
        while let position = firstIndex(of: name, from: start) {
            let value = value(at: position)
            var elements = ListElements(value)
            while let range = elements.next() {
                if value.extracting(range).equalsIgnoringCase(element) { return true }
            }
            start = position + 1
        }
        return false
    }
}
