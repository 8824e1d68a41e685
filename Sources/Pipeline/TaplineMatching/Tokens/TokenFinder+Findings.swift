// SPDX-License-Identifier: MIT

extension TokenFinder {
    /// What was found in a recording.
    package struct Findings: Sendable {
        package let bindings: [TokenBinding]
        /// How often requests sent back a value of each binding.
        package let uses: [Int]
        /// The places of masks in requests, and how many requests have one there.
        package let masked: [(place: TokenPlace, count: Int)]
        /// How many values were forgotten because there were too many.
        package let forgotten: Int
    }

    /// The bindings found so far, in the order in which requests sent values back.
    package func findings() -> Findings {
        var order: [Int] = []
        var found: [Int: (targets: [TokenPlace], uses: Int)] = [:]
        for target in targets {
            // Short values are equal by accident, too: most of the place's must have matched.
            guard target.matched > 0, target.hasLong || target.matched * 2 >= target.seen else {
                continue
            }
            let most = target.matches.values.max() ?? 0
            for (source, count) in target.matches.sorted(by: { $0.key < $1.key })
            where count * 10 >= most {
                if found[source] == nil { order.append(source) }
                found[source, default: ([], 0)].targets.append(target.place)
                found[source, default: ([], 0)].uses += count
            }
        }
        var names: Set<String> = []
        let bindings = order.map { source in
            let targets = found[source]?.targets ?? []
            let name = Self.name(sources[source], targets, &names)
            return TokenBinding(name: name, source: sources[source], targets: targets)
        }
        return Findings(
            bindings: bindings,
            uses: order.map { found[$0]?.uses ?? 0 },
            masked: masked.places,
            forgotten: seen.displaced
        )
    }

    /// A unique name: that of the place, `orders_id` for an id, or that of the target.
    private static func name(
        _ source: TokenPlace,
        _ targets: [TokenPlace],
        _ names: inout Set<String>
    ) -> String {
        var name = source.place.name
        if name.isEmpty { name = targets.lazy.map(\.place.name).first { !$0.isEmpty } ?? "" }
        if name.isEmpty || name == "id" {
            name = [source.route?.resource ?? "", "id"].filter { !$0.isEmpty }
                .joined(separator: "_")
        }
        name = String(
            name.map { $0.isASCII && ($0.isLetter || $0.isNumber) || $0 == "-" ? $0 : "_" }
        )
        var unique = name
        var number = 2
        while !names.insert(unique).inserted {
            unique = "\(name)_\(number)"
            number += 1
        }
        return unique
    }
}
