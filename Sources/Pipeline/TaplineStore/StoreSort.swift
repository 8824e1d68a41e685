// SPDX-License-Identifier: MIT

internal import TaplineModel
package import TaplineQuery

/// An order by the values of a field instead of the order of writing.
///
/// Equal values have the order of writing, or in several stores that of start time and id, in the
/// same direction. Exchanges without a value come last in both directions.
package struct StoreSort: Sendable, Hashable {
    /// The field; if it repeats, its first value counts.
    package let field: FieldReference
    /// Whether the largest value comes first.
    package let isDescending: Bool

    /// Creates an order.
    ///
    /// - Parameters:
    ///   - field: The field.
    ///   - isDescending: Whether the largest value comes first.
    package init(_ field: FieldReference, isDescending: Bool = false) {
        self.field = field
        self.isDescending = isDescending
    }

    /// Whether a key comes before another one of the same store; both have values.
    func places(_ left: StoreKey, before right: StoreKey) -> Bool {
        places(left, before: right) { $0.number < $1.number }
    }

    /// Whether a key comes before another one of any store; both have values.
    func placesAcrossStores(_ left: StoreKey, before right: StoreKey) -> Bool {
        places(left, before: right) { StoreOrder.oldestFirst.places($0, before: $1) }
    }

    private func places(
        _ left: StoreKey,
        before right: StoreKey,
        _ isEarlier: (StoreKey, StoreKey) -> Bool
    ) -> Bool {
        let absent = SortValue(nil, of: field)
        let order = (left.value ?? absent).order(
            to: right.value ?? absent,
            isDescending: isDescending
        )
        if order != 0 { return order < 0 }
        return isDescending ? isEarlier(right, left) : isEarlier(left, right)
    }
}

extension StoreQuery {
    /// Whether a key comes before another one of any store.
    func places(_ left: StoreKey, before right: StoreKey) -> Bool {
        sort?.placesAcrossStores(left, before: right) ?? order.places(left, before: right)
    }

    /// The parts that the value by which results are sorted needs.
    var sortedParts: StoreParts {
        sort.map { StoreParts(usedBy: [$0.field]) } ?? []
    }
}

extension StoreOrder {
    /// Whether a key comes before another one, by start time and id.
    func places(_ left: StoreKey, before right: StoreKey) -> Bool {
        let isEarlier =
            left.started == right.started ? left.id < right.id : left.started < right.started
        let isSame = left.started == right.started && left.id == right.id
        return self == .oldestFirst ? isEarlier : !isEarlier && !isSame
    }
}

/// The value by which an exchange is sorted.
package struct SortValue: Sendable, Hashable {
    /// How many bytes of a text from a message are compared.
    private static let comparedBytes = 1024

    /// The value; `nil` if the exchange has none.
    package let value: FilterValue?

    init(_ value: FilterValue?, of field: FieldReference) {
        guard case .text(let text) = value else {
            self.value = value
            return
        }
        if field.field.kind == .json, let number = Self.number(text) {
            self.value = .real(number)
        } else if text.count > Self.comparedBytes, IndexedColumn(field.field) == nil {
            self.value = .text(Array(text.prefix(Self.comparedBytes)))
        } else {
            self.value = value
        }
    }

    /// A value of a column, whose order is that of the index.
    init(indexed value: FilterValue?) { self.value = value }

    /// The value of an exchange.
    init(_ exchange: borrowing Exchange, of field: FieldReference) {
        self.init(field.value(in: exchange), of: field)
    }

    /// The number that a text in JSON is, so that 9 comes before 10.
    private static func number(_ text: [UInt8]) -> Double? {
        guard let first = text.first, first == .ascii("-") || 0x30...0x39 ~= first,
            text.count <= 64,
            let number = Double(String(decoding: text, as: UTF8.self)), number.isFinite
        else { return nil }
        return number
    }

    /// Returns -1, 0 or 1 if this value comes before, beside or after another one.
    func order(to other: SortValue, isDescending: Bool) -> Int {
        guard let left = value else { return other.value == nil ? 0 : 1 }
        guard let right = other.value else { return -1 }
        let order = Self.order(left, right)
        return isDescending ? -order : order
    }

    /// Numbers come before texts, which are compared by their bytes.
    private static func order(_ left: FilterValue, _ right: FilterValue) -> Int {
        switch (left, right) {
        case (.whole(let left), .whole(let right)): left < right ? -1 : left == right ? 0 : 1
        case (.text(let left), .text(let right)): order(left.span, right.span)
        case (.text, _): 1
        case (_, .text): -1
        case (.whole(let left), .real(let right)): order(Double(left), right)
        case (.real(let left), .whole(let right)): order(left, Double(right))
        case (.real(let left), .real(let right)): order(left, right)
        }
    }

    private static func order(_ left: Double, _ right: Double) -> Int {
        left < right ? -1 : left == right ? 0 : 1
    }

    private static func order(_ left: Span<UInt8>, _ right: Span<UInt8>) -> Int {
        for index in 0..<min(left.count, right.count) where left[index] != right[index] {
            return left[index] < right[index] ? -1 : 1
        }
        return (left.count - right.count).signum()
    }
}
