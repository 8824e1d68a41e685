// SPDX-License-Identifier: MIT

internal import Synchronization
package import TaplineModel

extension RecordedAnswers {
    /// How many recordings are compared with a request that has no answer.
    private static let maxNear = 24

    /// A recorded request that is near, and what differs.
    struct Near {
        let recorded: RequestParts
        let shown: MissExplanation.Nearest
    }

    /// Explains why a request has no answer.
    ///
    /// - Parameters:
    ///   - request: The request with its body.
    ///   - answer: The answer, which is not a recording.
    ///   - asking: How it came.
    ///   - recorded: Reads recorded requests.
    /// - Returns: The nearest recorded requests, and what differs.
    package func explain(
        _ request: borrowing Request,
        _ answer: Answer,
        _ asking: Asking,
        recorded: Reading
    ) -> MissExplanation {
        let live = LiveRequest(request, masked)
        let near = nearest(request, limit: Self.maxNear)
        let parts: ReadingParts = { recorded($0).map { RequestParts($0) } }
        let found = Self.differences(of: live, from: near, parts) { number in
            let rules = keys[number].rules
            return rules.compared(
                comparesHost: rules.comparesHost ?? asking.comparesHost,
                comparesBody: true
            )
        }
        return MissExplanation(live, answer, found.map(\.shown))
    }

    /// The recordings that may be the nearest ones of a request, each with the number of its rules.
    func nearest(
        _ request: borrowing Request,
        limit: Int
    ) -> [(recording: Int, rules: Int)] {
        guard let keys = keys.last else { return [] }
        let path = keys.key(request).path
        let prefixes = keys.prefixes(of: request)
        return state.withLock { $0.index.near(path, prefixes: prefixes, limit: limit) }
    }

    /// Returns recorded requests and what differs, the nearest ones first.
    ///
    /// With `showsSegments`, paths that differ in one segment are shown as that segment.
    static func differences(
        of live: LiveRequest,
        from near: [(recording: Int, rules: Int)],
        _ recorded: ReadingParts,
        showsSegments: Bool = true,
        rules: (Int) -> RequestRules
    ) -> [Near] {
        var found: [Near] = []
        for (recording, number) in near {
            guard let parts = recorded(recording) else { continue }
            let differences = live.differences(from: parts, rules(number))
            found.append(
                Near(
                    recorded: parts,
                    shown: MissExplanation.Nearest(
                        parts,
                        differences,
                        beside: showsSegments ? live.clean : nil
                    )
                )
            )
        }
        // Of equal ones, the first: the order of `near` says more than the weights.
        let ordered = found.enumerated().sorted {
            ($0.element.shown.weight, $0.offset) < ($1.element.shown.weight, $1.offset)
        }
        return ordered.map(\.element)
    }
}
