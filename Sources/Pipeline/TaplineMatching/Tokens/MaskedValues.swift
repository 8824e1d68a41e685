// SPDX-License-Identifier: MIT

package import TaplineModel

/// The fixed texts that replaced values in a recording; such a value cannot be sent.
package struct MaskedValues: Sendable {
    /// The masks that `redact` and other tools write by default.
    package static let standard = MaskedValues(["[redacted]", "***"])

    private let masks: [[UInt8]]

    package init(_ masks: [String]) {
        self.masks = masks.filter { !$0.isEmpty }.map { Array($0.utf8) }
    }

    /// Returns whether a value contains a mask.
    func occur(in bytes: [UInt8]) -> Bool {
        masks.contains { bytes.span.firstIndex(of: $0.span, in: 0..<bytes.count) != nil }
    }

    /// The places of masks in a request.
    package func places(in request: borrowing Request) -> [ValuePlace] {
        RequestValues(request).values.filter { occur(in: $0.bytes) }.map(\.place)
    }

    /// Returns the value with another text in the place of its masks.
    func replaced(in bytes: [UInt8], by text: [UInt8]) -> [UInt8] {
        var result = bytes
        for mask in masks {
            var position = 0
            while let found = result.span.firstIndex(of: mask.span, in: position..<result.count) {
                result.replaceSubrange(found..<found + mask.count, with: text)
                position = found + text.count
            }
        }
        return result
    }
}

/// Counts the places of masks in requests.
package struct MaskedPlaces: Sendable {
    /// The most places that are counted.
    private static let maxPlaces = 1000

    private var counts: [TokenPlace: Int] = [:]
    private var order: [TokenPlace] = []

    package init() {}

    /// The places in the order in which they were first seen.
    package var places: [(place: TokenPlace, count: Int)] { order.map { ($0, counts[$0] ?? 0) } }

    mutating func add(_ place: ValuePlace, _ route: RouteTemplate) {
        let place = TokenPlace(.request, place, of: route)
        if counts[place] == nil {
            guard order.count < Self.maxPlaces else { return }
            order.append(place)
        }
        counts[place, default: 0] += 1
    }

    /// Counts places of masks in a recorded request.
    package mutating func add(_ places: [ValuePlace], of recorded: borrowing Request) {
        let route = RouteTemplate(recorded)
        for place in Set(places) { add(place, route) }
    }

    mutating func add(_ values: [RequestValue], _ masks: MaskedValues, _ route: RouteTemplate) {
        var places: Set<ValuePlace> = []
        for value in values where masks.occur(in: value.bytes) {
            if places.insert(value.place).inserted { add(value.place, route) }
        }
    }
}
