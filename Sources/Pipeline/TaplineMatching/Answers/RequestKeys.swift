// SPDX-License-Identifier: MIT

internal import TaplineModel
internal import TaplineQuery

/// The parts of a request that lead to its recordings, as hashes.
struct AnswerKey: Sendable {
    /// Method, path and query, as far as the rules compare them.
    var route: UInt64
    /// Scheme, host and port, as far as the rules compare them.
    var host: UInt64
    /// The path alone.
    var path: UInt64
}

/// The parts of recorded requests in which masks replace values.
struct MaskShape: Sendable, Hashable {
    /// The positions of segments, from 0 for the text before the first slash.
    var segments: Set<Int> = []
    /// The hashes of the names of query items.
    var items: Set<UInt64> = []

    var isEmpty: Bool { segments.isEmpty && items.isEmpty }
}

/// Makes the keys of requests by rules.
struct RequestKeys: Sendable {
    /// How deep beginnings of paths are kept.
    static let maxPrefixes = 8
    private static let anything: UInt64 = 0xA11

    let rules: RequestRules
    /// The number of the rules; recordings of others have other keys.
    let number: Int
    private let ignoredItems: Set<UInt64>
    private let ignoredFields: Set<UInt64>
    /// The masks as written and percent-encoded, in lower case.
    private let masks: [[UInt8]]

    init(_ rules: RequestRules, number: Int = 0, masks: Set<String>) {
        self.rules = rules
        self.number = number
        func hashes(_ names: Set<String>) -> Set<UInt64> {
            Set(
                names.map { name in
                    var hash = PartHash()
                    hash.add(name.utf8.span)
                    return hash.value
                }
            )
        }
        ignoredItems = hashes(rules.ignoredQueryItems)
        ignoredFields = hashes(rules.ignoredFormFields)
        let texts = masks.filter { !$0.isEmpty }.map { Array($0.utf8) }
        let forms = texts + texts.map { PercentEncoding.encode($0.span) }
        self.masks = forms.map { $0.map(\.asciiLowercased) }
    }

    func ignoresFormField(_ name: UInt64) -> Bool {
        !ignoredFields.isEmpty && ignoredFields.contains(name)
    }

    // MARK: Keys

    /// The key of a request, with any text in the places of a shape.
    func key(_ request: borrowing Request, _ shape: MaskShape? = nil) -> AnswerKey {
        let target = TargetParts(request.target.span)
        let path = path(request.target.span, target.path, shape)
        var route = PartHash()
        if number > 0 { route.add(number: UInt64(truncatingIfNeeded: number)) }
        if rules.parts.contains(.method) { route.add(request.method.span) }
        if rules.parts.contains(.path) { route.add(number: path) }
        if rules.parts.contains(.query), let range = target.query {
            let sum = query(request.target.span, range, shape)
            if sum != 0 { route.add(number: sum) }
        }
        if shape != nil { route.add(number: Self.anything) }
        return AnswerKey(route: route.value, host: host(request), path: path)
    }

    private func path(_ target: Span<UInt8>, _ range: Range<Int>, _ shape: MaskShape?) -> UInt64 {
        var hash = PartHash()
        // RFC 9110 §4.2.3: an empty path is the same as `/`.
        if range.isEmpty { hash.add(.ascii("/")) }
        var segment = 0
        var isOpen = shape?.segments.contains(0) ?? false
        var index = range.lowerBound
        let path = target.extracting(0..<range.upperBound)
        while index < range.upperBound {
            let byte = path[index]
            if byte == .ascii("/") {
                hash.add(byte)
                segment += 1
                if let shape {
                    isOpen = shape.segments.contains(segment)
                    if isOpen { hash.add(number: Self.anything) }
                }
                index += 1
            } else if let decoded = path.percentDecoded(at: index) {
                if !isOpen { hash.add(decodedInPath: decoded) }
                index += 3
            } else {
                if !isOpen { hash.add(byte) }
                index += 1
            }
        }
        return hash.value
    }

    /// The hash of a query's items in any order; 0 if none counts.
    private func query(_ target: Span<UInt8>, _ range: Range<Int>, _ shape: MaskShape?) -> UInt64 {
        var sum: UInt64 = 0
        var items = QueryItems(range)
        while let item = items.next(in: target) {
            let name = PartHash.ofItem(target.extracting(item.name))
            if !ignoredItems.isEmpty, ignoredItems.contains(name) { continue }
            if let shape, shape.items.contains(name) {
                sum &+= PartHash.of(name, Self.anything)
            } else {
                sum &+= PartHash.of(name, PartHash.ofItem(target.extracting(item.value)))
            }
        }
        return sum
    }

    private func host(_ request: borrowing Request) -> UInt64 {
        var hash = PartHash()
        if rules.parts.contains(.scheme) {
            let scheme = request.scheme.span
            for index in scheme.indices { hash.add(scheme[index].asciiLowercased) }
            hash.add(number: 1)
        }
        let authority = request.authority.span
        let parts = AuthorityParts(authority)
        if rules.parts.contains(.host) {
            for index in parts.host { hash.add(authority[index].asciiLowercased) }
        }
        if rules.parts.contains(.port) {
            let port = parts.portNumber(authority, scheme: request.scheme.span) ?? 0
            hash.add(number: UInt64(truncatingIfNeeded: port))
        }
        return hash.value
    }

    /// The hash of the fields and of the body, as far as the rules may compare them.
    func content(_ request: borrowing Request) -> UInt64 {
        var hash = PartHash()
        for name in rules.fields {
            var next = request.fields.firstIndex(of: name.utf8.span)
            hash.add(number: next == nil ? 0 : 1)
            while let position = next {
                hash.add(request.fields.value(at: position))
                hash.add(number: 2)
                next = request.fields.firstIndex(of: name.utf8.span, from: position + 1)
            }
        }
        for field in rules.values {
            let value = field.bytes(of: request)
            hash.add(number: value == nil ? 0 : 1)
            if let value { hash.add(value.span) }
        }
        let isCompared = rules.parts.contains(.body)
        if isCompared || rules.comparesAmbiguousBodies {
            let body = ContentHash(request, self)
            if isCompared || body.isStructured { hash.add(number: body.value) }
        }
        return hash.value
    }

    /// The hashes of the beginnings of the path, the longest first, each up to a slash.
    func prefixes(of request: borrowing Request) -> [UInt64] {
        let target = request.target.span
        let range = TargetParts(target).path
        var prefixes: [UInt64] = []
        var hash = PartHash()
        for index in range {
            hash.add(target[index])
            if target[index] == .ascii("/") { prefixes.append(hash.value) }
            if prefixes.count == Self.maxPrefixes { break }
        }
        return prefixes.reversed()
    }

    // MARK: Masks

    /// The places of masks in the target of a recorded request; `nil` if there are none.
    func shape(of request: borrowing Request) -> MaskShape? {
        guard hasMask(request.target.span) else { return nil }
        let target = request.target.span
        let parts = TargetParts(target)
        var shape = MaskShape()
        var segment = 0
        var start = parts.path.lowerBound
        for index in parts.path.lowerBound...parts.path.upperBound
        where index == parts.path.upperBound || target[index] == .ascii("/") {
            if hasMask(target.extracting(start..<index)) { shape.segments.insert(segment) }
            segment += 1
            start = index + 1
        }
        guard let query = parts.query else { return shape.isEmpty ? nil : shape }
        var items = QueryItems(query)
        while let item = items.next(in: target) {
            guard hasMask(target.extracting(item.value)) else { continue }
            shape.items.insert(PartHash.ofItem(target.extracting(item.name)))
        }
        return shape.isEmpty ? nil : shape
    }

    /// Whether a mask is in the fields or in the body of a recorded request.
    func hasMaskedContent(_ request: borrowing Request) -> Bool {
        for name in rules.fields {
            var next = request.fields.firstIndex(of: name.utf8.span)
            while let position = next {
                if hasMask(request.fields.value(at: position)) { return true }
                next = request.fields.firstIndex(of: name.utf8.span, from: position + 1)
            }
        }
        for field in rules.values {
            if let value = field.bytes(of: request), hasMask(value.span) { return true }
        }
        guard rules.parts.contains(.body) || rules.comparesAmbiguousBodies else { return false }
        return hasMask(request.body.bytes.span)
    }

    private func hasMask(_ text: Span<UInt8>) -> Bool {
        masks.contains { text.contains($0.span, ignoringCase: true) }
    }
}

extension PartHash {
    /// Adds a decoded byte of a path; one that would end a segment or the path stays different from
    /// the delimiter (RFC 3986 §2.2).
    fileprivate mutating func add(decodedInPath byte: UInt8) {
        switch byte {
        case .ascii("/"), .ascii("?"), .ascii("%"): add(number: UInt64(byte))
        default: add(byte)
        }
    }
}
