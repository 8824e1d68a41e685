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

    init(_ value: JSONValue) {
        let kind: Kind =
            switch value.kind {
            case .object: .object
            case .array: .array
            case .string: .string
            case .number: .number
            default: .word
            }
        self.init(kind, value.bytes)
    }

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
        self.init(path, Self.kind(recorded, found), recorded, found)
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
        kind = Self.kind(recorded, found)
        self.recorded = recorded
        self.found = found
    }

    private static func kind(_ recorded: ComparedValue, _ found: ComparedValue) -> Kind {
        switch (recorded.kind, found.kind) {
        case (.absent, _): .added
        case (_, .absent): .missing
        case (let left, let right): left == right ? .changed : .type
        }
    }
}

/// The differences of one pair of messages.
///
/// **Limits**: 500 differences; further ones are counted.
struct DifferenceList {
    static let limit = 500

    private(set) var all: [FoundDifference] = []
    /// How many differences there are beyond the limit.
    private(set) var more = 0

    var isEmpty: Bool { all.isEmpty }
    var count: Int { all.count }

    mutating func append(_ difference: FoundDifference) {
        if all.count < Self.limit {
            all.append(difference)
        } else {
            more += 1
        }
    }

    /// Whether no further difference is kept.
    var isFull: Bool { all.count == Self.limit }

    /// Counts a difference without its values, which take time to copy.
    mutating func skip() { more += 1 }

    /// Removes the differences that were found after the list had `count` ones.
    mutating func truncate(to count: Int) {
        all.removeLast(all.count - count)
        more = 0
    }

    mutating func removeAll() {
        all.removeAll(keepingCapacity: true)
        more = 0
    }
}
