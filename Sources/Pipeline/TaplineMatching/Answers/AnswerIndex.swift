// SPDX-License-Identifier: MIT

internal import TaplineModel

/// Finds the recordings of requests by hashes of their parts.
///
/// Recordings of the same method, path and query are a group. In a group, those with the same host,
/// fields and body are a variant, whose recordings follow each other as they were recorded.
///
/// **Units**: about 150 bytes for a recording that is alone in its group.
struct AnswerIndex: Sendable {
    /// Recordings that answer the same request.
    struct Variant: Sendable {
        let host: UInt64
        let content: UInt64
        let group: Int32
        let first: Int32
        var last: Int32
        var count: Int32 = 1
        /// The next variant of the group; -1 for the last one.
        var next: Int32 = -1
        /// Whether a mask is in a field or in the body.
        let isMasked: Bool
    }

    /// Recordings of the same route.
    struct Group: Sendable {
        let first: Int32
        var last: Int32
        var count: Int32 = 1
        /// The next group with the same path; -1 for the last one.
        let nextOfPath: Int32
        /// The number of the rules that compare its recordings with requests.
        let rules: Int32
        /// Whether the fields and bodies of variants with the same host differ.
        var hasContents = false
        var hasMasks = false
    }

    /// From this number of variants on, they are found by their hashes.
    private static let indexedVariants = 8
    /// How many beginnings of paths are kept, and how many groups of each.
    private static let maxPrefixes = 20_000
    private static let groupsOfPrefix = 8

    private(set) var variants: [Variant] = []
    private(set) var groups: [Group] = []
    /// For each recording, the next one of its variant; -1 for the last one.
    private(set) var following: [Int32] = []
    /// The shapes of masked targets.
    private(set) var shapes: [MaskShape] = []

    private var groupOfRoute: [UInt64: Int32] = [:]
    private var groupOfPath: [UInt64: Int32] = [:]
    private var groupsOfPrefix: [UInt64: [Int32]] = [:]
    /// Variants of large groups, by the hash of group, host and content.
    private var variantOfHash: [UInt64: Int32] = [:]
    /// The first variants of large groups, by the hash of group and host.
    private var firstOfHost: [UInt64: Int32] = [:]

    /// The number of recordings.
    var count: Int { following.count }

    /// Whether both have recordings of the same requests in the same order.
    func hasSameRequests(as other: AnswerIndex) -> Bool {
        following == other.following && groupOfRoute == other.groupOfRoute
            && variants.elementsEqual(other.variants) { one, two in
                (one.host, one.content, one.group, one.first, one.last, one.count)
                    == (two.host, two.content, two.group, two.first, two.last, two.count)
            }
    }

    // MARK: Adding

    /// Adds the next recording.
    ///
    /// - Parameters:
    ///   - key: The key, by the shape of the masks in its target.
    ///   - rules: The number of the rules that made the key.
    ///   - content: The hash of fields and body.
    ///   - isMasked: Whether a mask is in these.
    ///   - shape: The places of the masks in the target.
    ///   - prefixes: Makes the hashes of the beginnings of the path.
    mutating func add(
        _ key: AnswerKey,
        by rules: Int,
        content: UInt64,
        isMasked: Bool,
        shape: MaskShape?,
        prefixes: () -> [UInt64]
    ) {
        let number = Int32(truncatingIfNeeded: following.count)
        following.append(-1)
        if let shape, !shapes.contains(shape) { shapes.append(shape) }
        guard let group = groupOfRoute[key.route] else {
            let group = Int32(truncatingIfNeeded: groups.count)
            let variant = add(number, to: group, key.host, content, isMasked)
            let other = groupOfPath.updateValue(group, forKey: key.path) ?? -1
            var new = Group(
                first: variant,
                last: variant,
                nextOfPath: other,
                rules: Int32(truncatingIfNeeded: rules)
            )
            new.hasMasks = isMasked
            groups.append(new)
            groupOfRoute[key.route] = group
            note(group, at: prefixes())
            return
        }
        if let variant = variant(of: group, host: key.host, content) {
            following[Int(variants[Int(variant)].last)] = number
            variants[Int(variant)].last = number
            variants[Int(variant)].count += 1
            return
        }
        if hasHost(key.host, in: group) { groups[Int(group)].hasContents = true }
        let variant = add(number, to: group, key.host, content, isMasked)
        variants[Int(groups[Int(group)].last)].next = variant
        groups[Int(group)].last = variant
        groups[Int(group)].count += 1
        if isMasked { groups[Int(group)].hasMasks = true }
        index(group, from: variant)
    }

    private mutating func add(
        _ number: Int32,
        to group: Int32,
        _ host: UInt64,
        _ content: UInt64,
        _ isMasked: Bool
    ) -> Int32 {
        variants.append(
            Variant(
                host: host,
                content: content,
                group: group,
                first: number,
                last: number,
                isMasked: isMasked
            )
        )
        return Int32(truncatingIfNeeded: variants.count - 1)
    }

    /// Adds the hashes of a new variant, or of all when the group becomes large.
    private mutating func index(_ group: Int32, from new: Int32) {
        let count = Int(groups[Int(group)].count)
        guard count > Self.indexedVariants else { return }
        var next = count == Self.indexedVariants + 1 ? groups[Int(group)].first : new
        while next >= 0 {
            let variant = variants[Int(next)]
            for host in [variant.host, nil] {
                let hash = Self.hash(of: group, host: host, variant.content)
                if variantOfHash[hash] == nil { variantOfHash[hash] = next }
            }
            let hash = Self.hash(of: group, host: variant.host)
            if firstOfHost[hash] == nil { firstOfHost[hash] = next }
            next = variant.next
        }
    }

    private static func hash(of group: Int32, host: UInt64?, _ content: UInt64) -> UInt64 {
        let number = UInt64(truncatingIfNeeded: group)
        guard let host else { return PartHash.of(number, content) }
        return PartHash.of(number, content, host)
    }

    private static func hash(of group: Int32, host: UInt64) -> UInt64 {
        PartHash.of(UInt64(truncatingIfNeeded: group), host)
    }

    private func hasHost(_ host: UInt64, in group: Int32) -> Bool {
        groups[Int(group)].hasContents || variant(of: group, host: host) != nil
    }

    private mutating func note(_ group: Int32, at prefixes: [UInt64]) {
        for prefix in prefixes {
            let count = groupsOfPrefix[prefix]?.count ?? 0
            guard count < Self.groupsOfPrefix else { continue }
            if count > 0 || groupsOfPrefix.count < Self.maxPrefixes {
                groupsOfPrefix[prefix, default: []].append(group)
            }
        }
    }

    // MARK: Finding

    /// The group of a route.
    func group(_ route: UInt64) -> Int32? { groupOfRoute[route] }

    /// The first variant of a group with a host; `nil` as the host stands for any.
    func variant(of group: Int32, host: UInt64?) -> Int32? {
        guard let host else { return groups[Int(group)].first }
        if groups[Int(group)].count > Self.indexedVariants {
            return firstOfHost[Self.hash(of: group, host: host)]
        }
        var next = groups[Int(group)].first
        while next >= 0 {
            if variants[Int(next)].host == host { return next }
            next = variants[Int(next)].next
        }
        return nil
    }

    /// The first variant of a group with a host and a content.
    func variant(of group: Int32, host: UInt64?, _ content: UInt64) -> Int32? {
        if groups[Int(group)].count > Self.indexedVariants {
            return variantOfHash[Self.hash(of: group, host: host, content)]
        }
        var next = groups[Int(group)].first
        while next >= 0 {
            let variant = variants[Int(next)]
            if variant.content == content, host == nil || variant.host == host { return next }
            next = variant.next
        }
        return nil
    }

    /// The variants of a group, up to a number of them.
    func variants(of group: Int32, limit: Int, where isWanted: (Variant) -> Bool) -> [Int32] {
        var found: [Int32] = []
        var next = groups[Int(group)].first
        while next >= 0, found.count < limit {
            if isWanted(variants[Int(next)]) { found.append(next) }
            next = variants[Int(next)].next
        }
        return found
    }

    /// The numbers of the recordings of a variant, in order.
    func recordings(of variant: Int32) -> [Int] {
        var found: [Int] = []
        var next = variants[Int(variant)].first
        while next >= 0 {
            found.append(Int(next))
            next = following[Int(next)]
        }
        return found
    }

    /// The recordings that are near a request: those of its path, then those of the beginnings of
    /// its path, the longest first, then others.
    ///
    /// - Returns: The first recording of each variant, and the number of its rules.
    func near(
        _ path: UInt64,
        prefixes: [UInt64],
        limit: Int
    ) -> [(recording: Int, rules: Int)] {
        var wanted: [Int32] = []
        var group = groupOfPath[path] ?? -1
        while group >= 0, wanted.count < limit {
            wanted.append(group)
            group = groups[Int(group)].nextOfPath
        }
        var known = Set(wanted)
        func add(_ group: Int32) {
            if wanted.count < limit, known.insert(group).inserted { wanted.append(group) }
        }
        for prefix in prefixes { groupsOfPrefix[prefix]?.forEach(add) }
        for group in groups.indices.prefix(limit) { add(Int32(truncatingIfNeeded: group)) }
        var found: [(Int, Int)] = []
        for group in wanted {
            let rules = Int(groups[Int(group)].rules)
            for variant in variants(of: group, limit: limit - found.count, where: { _ in true }) {
                found.append((Int(variants[Int(variant)].first), rules))
            }
        }
        return found
    }
}
