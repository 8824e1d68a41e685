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

    private let name: String
    private let exchanges: [Exchange]
    private let requests: [RequestParts]
    private let answers: RecordedAnswers
    private let explanations = Mutex<[ExchangeID: String]>([:])

    /// Creates the player of a fixture.
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
        self.exchanges = exchanges
        requests = exchanges.map { RequestParts($0.request) }
        answers = RecordedAnswers(
            options.matching.rules,
            repeats: options.repeats == .lastAgain ? .last : .miss,
            masks: masks
        )
        for exchange in exchanges { answers.add(exchange.request) }
    }

    /// The recordings that no request has used.
    var unused: [String] {
        answers.unused(limit: .max).map { "\(requests[$0].method) \(requests[$0].url)" }
    }

    /// Returns the recording of a request: the first one that is unused, otherwise the last one
    /// again.
    ///
    /// - Parameters:
    ///   - request: The request as the app sends it.
    ///   - clean: The request as it would be recorded.
    /// - Returns: The recording, or why there is none.
    func answer(_ request: Request, cleaned clean: Request) -> Answer {
        let requests = requests
        let answer = answers.unusedAnswer(request, cleaned: clean) { requests[$0] }
        if case .recording(let number) = answer { return .recording(exchanges[number]) }
        let miss = answers.explain(request, cleaned: clean, answer) { requests[$0] }
        return .none(text(of: miss))
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

    private func text(of miss: MissExplanation) -> String {
        let request = "\(miss.method) \(miss.url)"
        guard let count = miss.recordedTimes else {
            return "no recording of this request in '\(name)':\n  \(request)\n"
                + miss.nearestText(limit: 1) + CassettePlayer.help
        }
        return "no further recording of this request in '\(name)':\n  \(request)\n"
            + "it was recorded \(count == 1 ? "once" : "\(count) times")\n" + CassettePlayer.help
    }

    static let help = "to record it again, run the test with \(RecordedMode.variable)=record"
}
