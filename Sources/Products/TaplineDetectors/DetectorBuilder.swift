// SPDX-License-Identifier: MIT

internal import TaplineConfig
internal import TaplineMultiPattern
internal import TaplinePlugin

/// Builds a set of detectors from a configuration, or reports the errors in it.
struct DetectorBuilder {
    /// The maximum numbers of the user's own patterns and of allowed values.
    static let maxPatterns = 1_000
    static let maxAllowed = 10_000

    private let choice: DetectorChoice
    private var isValid = true

    init(_ choice: DetectorChoice) {
        self.choice = choice
    }

    mutating func build(into diagnostics: inout Diagnostics) -> (any DetectorSet)? {
        let detectors = detectors(&diagnostics)
        let patterns = patterns(numberedAfter: detectors, &diagnostics)
        if choice.allowed.count > Self.maxAllowed {
            fail("too many allowed values; expected at most \(Self.maxAllowed)", &diagnostics)
        }
        guard isValid else { return nil }
        do throws(LiteralSetError) {
            return try CompiledDetectors(
                detectors,
                patterns: patterns,
                patternNames: choice.patterns.map(\.name),
                allowed: AllowList(choice.allowed)
            )
        } catch {
            diagnostics.error(at: nil, "the detectors cannot be compiled; \(error.message)")
            return nil
        }
    }

    /// Returns a help text with the detectors whose names contain a word, as in `phone_number`.
    private static func help(forPart word: String, of all: [Detector]) -> String? {
        let found = all.map(\.name).filter { word.utf8.count > 2 && $0.contains(word) }
        return found.isEmpty ? nil : "similar names: \(found.prefix(8).joined(separator: ", "))"
    }

    /// Returns the named detectors, those of named groups and the standard ones, in table order.
    private mutating func detectors(_ diagnostics: inout Diagnostics) -> [Detector] {
        let all = DetectorTable.all
        let groups = Detector.Group.allCases.map(\.rawValue)
        let known = all.map(\.name) + groups + ["standard"]
        for name in choice.names where !known.contains(name.value) {
            isValid = false
            diagnostics.error(
                at: name.location,
                "unknown detector '\(name.value)'; expected the name of a detector or of a group",
                help: Suggestion.help(for: name.value, among: known)
                    ?? Self.help(forPart: name.value, of: all)
                    ?? "the groups are \(groups.joined(separator: ", "))"
            )
        }
        let names = Set(choice.names.map(\.value))
        let isStandard = choice.standard || names.contains("standard")
        return all.filter { detector in
            isStandard && detector.isStandard || names.contains(detector.name)
                || names.contains(detector.group.rawValue)
        }
    }

    private mutating func patterns(
        numberedAfter detectors: [Detector],
        _ diagnostics: inout Diagnostics
    ) -> [OwnPattern] {
        if choice.patterns.count > Self.maxPatterns {
            fail("too many patterns; expected at most \(Self.maxPatterns)", &diagnostics)
            return []
        }
        var names = Set(DetectorTable.all.map(\.name))
        var patterns: [OwnPattern] = []
        for (index, pattern) in choice.patterns.enumerated() {
            if pattern.name.isEmpty || !names.insert(pattern.name).inserted {
                fail(
                    pattern.name.isEmpty
                        ? "a pattern has no name" : "the name '\(pattern.name)' is taken",
                    at: pattern.regex.location,
                    &diagnostics
                )
            }
            let kind = detectors.count + index
            if let own = OwnPattern(pattern, kind: kind, into: &diagnostics) {
                patterns.append(own)
            } else {
                isValid = false
            }
        }
        return patterns
    }

    private mutating func fail(
        _ message: String,
        at location: SourceLocation? = nil,
        _ diagnostics: inout Diagnostics
    ) {
        isValid = false
        diagnostics.error(at: location ?? choice.names.first?.location, message)
    }
}
