// SPDX-License-Identifier: MIT

internal import Synchronization
internal import TaplineMatching
internal import TaplineModel

/// The recordings of a fixture, each of which answers one request.
///
/// **Isolation**: any thread.
final class CassettePlayer: Sendable {
    /// The answer to a request.
    enum Answer: Sendable {
        case recording(Exchange)
        /// There is no recording, for this reason.
        case none(String)
    }

    private struct Entry: Sendable {
        let exchange: Exchange
        let parts: RequestParts
    }

    private let name: String
    private let entries: [Entry]
    private let rules: RequestRules
    private let repeats: RecordedOptions.Repeats
    private let masked: MaskedText
    private let isUsed: Mutex<[Bool]>
    private let explanations = Mutex<[ExchangeID: String]>([:])

    /// Creates the pool of a fixture.
    ///
    /// - Parameters:
    ///   - exchanges: The recordings.
    ///   - name: The name.
    ///   - options: How requests are compared with the recordings.
    ///   - masks: The texts that replace secrets.
    init(
        _ exchanges: [Exchange],
        of name: String,
        _ options: RecordedOptions,
        masks: Set<String> = []
    ) {
        self.name = name
        entries = exchanges.map { Entry(exchange: $0, parts: RequestParts($0.request)) }
        rules = options.matching.rules
        repeats = options.repeats
        masked = MaskedText(masks: masks)
        isUsed = Mutex(Array(repeating: false, count: exchanges.count))
    }

    /// The recordings that no request has used.
    var unused: [String] {
        let isUsed = isUsed.withLock { $0 }
        return zip(entries, isUsed).filter { !$1 }.map(\.0.parts).map { "\($0.method) \($0.url)" }
    }

    /// Returns the recording of a request: the first one that is unused, otherwise the last one
    /// again.
    func answer(_ live: LiveRequest) -> Answer {
        var live = live
        var matches = matches(of: live, rules)
        if matches.isEmpty {
            live.masked = masked
            matches = self.matches(of: live, rules)
        }
        guard let last = matches.last else { return .none(unknown(live)) }
        let next = isUsed.withLock { isUsed -> Int? in
            let next = matches.first { !isUsed[$0] } ?? (repeats == .lastAgain ? last : nil)
            if let next { isUsed[next] = true }
            return next
        }
        guard let next else { return .none(usedUp(live, matches.count)) }
        return .recording(entries[next].exchange)
    }

    /// Returns the positions of the recordings that match a request, by a rule.
    private func matches(of live: LiveRequest, _ rules: RequestRules) -> [Int] {
        entries.indices.filter { live.differences(from: entries[$0].parts, rules).isEmpty }
    }

    // MARK: Failures

    /// The full text about a request without a recording, which the test reports; the app's error
    /// has only its beginning.
    func explanation(of id: ExchangeID) -> String? { explanations.withLock { $0[id] } }

    /// Keeps the text about a request, and returns its beginning.
    func explain(_ id: ExchangeID, _ text: String) -> String {
        explanations.withLock { $0[id] = text }
        let lines = text.split(separator: "\n").prefix(2)
        return lines.joined(separator: "").replacing(":  ", with: ": ")
            + "; the test's issue shows why"
    }

    private func unknown(_ live: LiveRequest) -> String {
        let candidates = entries.map { ($0, live.differences(from: $0.parts, rules)) }
        let nearest = candidates.min {
            $0.1.reduce(0) { $0 + $1.weight } < $1.1.reduce(0) { $0 + $1.weight }
        }
        let url = nearest.map { masked.shown(live.clean.url, beside: $0.0.parts) }
        var text =
            "no recording of this request in '\(name)':\n"
            + "  \(live.clean.method) \(url ?? live.clean.url)\n"
        if let (entry, differences) = nearest {
            text += "nearest recorded request:\n  \(entry.parts.method) \(entry.parts.url)\n"
            for difference in differences.prefix(5) { text += "  \(difference.text)\n" }
        } else {
            text += "the fixture has no recordings\n"
        }
        return text + CassettePlayer.help
    }

    private func usedUp(_ live: LiveRequest, _ count: Int) -> String {
        "no further recording of this request in '\(name)':\n"
            + "  \(live.clean.method) \(live.clean.url)\n"
            + "it was recorded \(count == 1 ? "once" : "\(count) times")\n" + CassettePlayer.help
    }

    static let help = "to record it again, run the test with \(RecordedMode.variable)=record"
}
