// SPDX-License-Identifier: MIT

package import TaplineModel

/// The fixed texts that replaced values in a recording; such a value cannot be sent.
package struct MaskedValues: Sendable {
    /// The masks that `redact` and other tools write by default.
    package static let standard = MaskedValues(["[redacted]", "***"])

    /// In lower case.
    private let masks: [[UInt8]]

    package init(_ masks: [String]) {
        self.masks = masks.filter { !$0.isEmpty }.map { $0.utf8.map(\.asciiLowercased) }
    }

    /// Returns whether a value contains a mask, in any case.
    func occur(in bytes: [UInt8]) -> Bool {
        masks.contains { bytes.span.contains($0.span, ignoringCase: true) }
    }

    /// Returns whether a value of a request is nothing but a mask.
    package func fill(_ request: borrowing Request) -> Bool {
        RequestValues(request).values.contains { value in
            masks.contains { value.bytes.span.equalsIgnoringCase($0.span) }
        }
    }

    /// Returns whether each part of a request that contains masks has one at a place that can be
    /// read, and thus replaced.
    package func areReadable(in request: borrowing Request) -> Bool {
        let read = RequestValues(request)
        let parts = Set(read.values.filter { occur(in: $0.bytes) }.map(\.part))
        let target = PercentEncoding.decode(request.target.span, plusIsSpace: false)
        if occur(in: target), !parts.contains(.target) { return false }
        let fields = request.fields
        for position in fields.indices where !parts.contains(.field(position)) {
            let isReferer = fields.name(at: position).equalsIgnoringCase("referer")
            if !isReferer, occur(in: Array(copying: fields.value(at: position))) { return false }
        }
        let raw = request.body.bytes
        return parts.contains(.body) || !occur(in: read.body ?? raw)
    }

    /// The places of masks in a request.
    package func places(in request: borrowing Request) -> [ValuePlace] {
        RequestValues(request).values.filter { occur(in: $0.bytes) }.map(\.place)
    }

    /// Removes cookies of a request whose values contain a mask, which no server knows.
    ///
    /// - Parameters:
    ///   - request: The request; a Cookie field without other cookies is removed.
    ///   - places: The places of the cookies; `nil` for all.
    /// - Returns: Whether there were any.
    @discardableResult
    package func removeCookies(of request: inout Request, at places: [ValuePlace]? = nil) -> Bool {
        let names = places.map { places in
            Set(
                places.compactMap { place -> ByteString? in
                    if case .cookie(let name) = place.part { name } else { nil }
                }
            )
        }
        guard names?.isEmpty != true else { return false }
        var hasChanged = false
        for position in request.fields.indices.reversed()
        where request.fields.name(at: position).equalsIgnoringCase("cookie") {
            let field = Array(copying: request.fields.value(at: position))
            guard let left = withoutMasked(field, names) else { continue }
            hasChanged = true
            if left.isEmpty {
                request.fields.remove(at: position)
            } else {
                request.fields.replaceValue(at: position, with: left.span)
            }
        }
        return hasChanged
    }

    /// Returns a Cookie field without masked pairs; `nil` if it has none.
    private func withoutMasked(_ field: [UInt8], _ names: Set<ByteString>?) -> [UInt8]? {
        var left: [UInt8] = []
        var hasMasked = false
        var position = 0
        while let pair = CookiePair(field.span, from: position) {
            position = pair.next
            let name = ByteString(field.span.extracting(pair.name))
            let isNamed = names?.contains(name) ?? true
            if let value = pair.value, isNamed, occur(in: Array(field[value])) {
                hasMasked = true
                continue
            }
            if !left.isEmpty { left += "; ".utf8 }
            left += field[pair.name.lowerBound..<(pair.value ?? pair.name).upperBound]
        }
        return hasMasked ? left : nil
    }

    /// Returns the value with another text in the place of its masks.
    func replaced(in bytes: [UInt8], by text: [UInt8]) -> [UInt8] {
        var result = bytes
        for mask in masks {
            let lowercased = result.map(\.asciiLowercased)
            var output: [UInt8] = []
            var position = 0
            while let found = lowercased.span
                .firstIndex(of: mask.span, in: position..<lowercased.count)
            {
                output += result[position..<found]
                output += text
                position = found + mask.count
            }
            output += result[position...]
            result = output
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
