// SPDX-License-Identifier: MIT

internal import TaplineJSON
internal import TaplineModel

/// One side of a difference, cut to what a report shows.
package struct ComparedValue: Sendable, Equatable {
    /// The kind of a value.
    package enum Kind: Sendable, Equatable {
        /// There is no value.
        case absent
        /// A text, which is shown in quotes.
        case string
        /// A number, as written.
        case number
        /// `true`, `false` or `null`.
        case word
        case object
        case array
        /// A description, such as the size of an image.
        case note
    }

    /// How many bytes of a value are kept.
    package static let maxBytes = 160

    package let kind: Kind
    /// The first bytes of the value.
    package let bytes: [UInt8]
    /// The size of the whole value in bytes.
    package let count: Int

    package init(_ kind: Kind, _ bytes: Span<UInt8>) {
        self.kind = kind
        count = bytes.count
        self.bytes = Array(copying: bytes.extracting(first: Self.maxBytes))
    }

    package init(_ kind: Kind, _ text: String) { self.init(kind, text.utf8.span) }

    package static let absent = ComparedValue(.absent, "")

    init(_ value: JSONValue) { self.init(Kind(value), value.bytes) }

    /// The value for people.
    package var shown: String {
        let text = String(decoding: bytes, as: UTF8.self) + (count > bytes.count ? "…" : "")
        return switch kind {
        case .absent: "nothing"
        case .string: "\"\(text)\""
        default: text
        }
    }
}

extension ComparedValue.Kind {
    init(_ value: JSONValue) {
        self =
            switch value.kind {
            case .object: .object
            case .array: .array
            case .string: .string
            case .number: .number
            default: .word
            }
    }
}

/// A part in which two messages differ.
package struct FoundDifference: Sendable, Equatable {
    /// How the part differs.
    package enum Kind: String, Sendable, CaseIterable {
        /// Both have a value of the same type.
        case changed
        /// The types of the values differ.
        case type
        /// Only the recording has the part.
        case missing
        /// Only the new message has the part.
        case added
        /// An array has the same elements in another order.
        case order
    }

    /// The part without positions: `$.items[*].price`, `header.location`, `status`.
    package let path: [UInt8]
    /// The part with positions: `$.items[3].price`.
    package let place: [UInt8]
    package let kind: Kind
    package let recorded: ComparedValue
    package let found: ComparedValue

    init(_ path: DifferencePath, _ recorded: ComparedValue, _ found: ComparedValue) {
        self.init(path, Kind(recorded.kind, found.kind), recorded, found)
    }

    init(
        _ path: DifferencePath,
        _ kind: Kind,
        _ recorded: ComparedValue,
        _ found: ComparedValue
    ) {
        self.path = path.general
        place = path.place
        self.kind = kind
        self.recorded = recorded
        self.found = found
    }

    init(
        path: [UInt8],
        place: [UInt8],
        _ recorded: ComparedValue,
        _ found: ComparedValue
    ) {
        self.path = path
        self.place = place
        kind = Kind(recorded.kind, found.kind)
        self.recorded = recorded
        self.found = found
    }
}

extension FoundDifference.Kind {
    init(_ recorded: ComparedValue.Kind, _ found: ComparedValue.Kind) {
        self =
            switch (recorded, found) {
            case (.absent, _): .added
            case (_, .absent): .missing
            case (let left, let right): left == right ? .changed : .type
            }
    }
}
