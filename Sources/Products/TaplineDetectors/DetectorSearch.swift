// SPDX-License-Identifier: MIT

internal import TaplineMultiPattern
internal import TaplinePlugin
internal import TaplineRegex

/// Searches texts one after the other: finds candidates block by block and checks them at once.
///
/// **Shape.** Between two texts it keeps only its buffers.
struct DetectorSearch: ~Copyable {
    /// The size of a block; it fits into the processor's cache for both passes.
    private static let blockLength = 1 << 15

    private let set: CompiledDetectors
    private let scanner: LiteralScanner?
    private var matches: [LiteralMatch] = []
    private var places: [Anchor] = []
    private var found = FindingList()
    private var memory = CheckMemory()
    private var captures = CaptureGroups()
    /// The position from which the search for each pattern continues.
    private var searched: [Int]

    init(_ set: CompiledDetectors) throws(LiteralSetError) {
        self.set = set
        scanner = if let literals = set.literals { try LiteralScanner(literals) } else { nil }
        searched = set.patterns.map { _ in 0 }
    }

    mutating func scan(_ bytes: Span<UInt8>, into findings: inout [SecretFinding]) {
        memory.reset()
        found.removeAll()
        for index in searched.indices { searched[index] = 0 }
        var start = 0
        while start < bytes.count {
            let end = min(bytes.count, start + Self.blockLength)
            guard scanLiterals(bytes, start..<end) else {
                // If the search fails, the whole text counts as secret.
                findings.append(SecretFinding(start: 0, end: bytes.count, kind: 0))
                return
            }
            scanAnchors(bytes, start..<end)
            start = end
        }
        for (index, pattern) in set.patterns.enumerated() where pattern.head == nil {
            while searched[index] < bytes.count { search(bytes, for: index) }
        }
        found.resolve(isWeak: set.isWeak, into: &findings)
    }

    private mutating func scanLiterals(_ bytes: Span<UInt8>, _ block: Range<Int>) -> Bool {
        guard let scanner else { return true }
        matches.removeAll(keepingCapacity: true)
        do throws(LiteralSetError) {
            try scanner.scan(bytes, in: block, into: &matches)
        } catch {
            return false
        }
        let set = set
        for match in matches {
            let entry = set.entries[match.literal]
            let head = match.end - entry.length..<match.end
            for index in entry.rules {
                let range =
                    switch set.rules[index].form {
                    case .token(let token): token.range(in: bytes, head: head)
                    case .assignment(let assignment): assignment.range(in: bytes, keyword: head)
                    case .shape(let shape): shape.range(in: bytes, head: head, &memory)
                    }
                if let range { append(range, set.rules[index].kind, bytes) }
            }
            for index in entry.patterns {
                let pattern = set.heads[index]
                guard searched[pattern] <= head.lowerBound else { continue }
                searched[pattern] = head.lowerBound
                search(bytes, for: pattern)
            }
        }
        return true
    }

    private mutating func scanAnchors(_ bytes: Span<UInt8>, _ block: Range<Int>) {
        places.removeAll(keepingCapacity: true)
        set.anchors.find(in: bytes, range: block, into: &places)
        let set = set
        for place in places {
            let head = place.position..<place.position + 1
            var kinds = place.kinds.rawValue
            while kinds != 0 {
                for index in set.rulesOfAnchors[kinds.trailingZeroBitCount] {
                    let rule = set.anchorRules[index]
                    guard let range = rule.shape.range(in: bytes, head: head, &memory) else {
                        continue
                    }
                    append(range, rule.kind, bytes)
                }
                kinds &= kinds &- 1
            }
        }
    }

    private mutating func search(_ bytes: Span<UInt8>, for index: Int) {
        let pattern = set.patterns[index]
        let step = pattern.step(in: bytes, from: searched[index], &captures)
        searched[index] = step.next
        if let secret = step.secret { append(secret, pattern.kind, bytes) }
    }

    private mutating func append(_ range: Range<Int>, _ kind: Int, _ bytes: Span<UInt8>) {
        guard !set.allowed.contains(bytes.extracting(range)) else { return }
        found.append(SecretFinding(start: range.lowerBound, end: range.upperBound, kind: kind))
    }
}
