// SPDX-License-Identifier: MIT

internal import Synchronization
internal import TaplineServe

/// Answers that took long, for the same question about the same exchanges.
///
/// **Limits**: the last 32 answers.
/// **Isolation**: any thread.
final class AnswerCache: Sendable {
    private static let limit = 32

    private let answers = Mutex<[(key: String, response: ServedResponse)]>([])

    /// Returns the answer to a question, which is kept if it is new.
    func answer(
        _ key: String,
        _ make: () throws -> ServedResponse
    ) rethrows -> ServedResponse {
        let known = answers.withLock { $0.first { $0.key == key }?.response }
        if let known { return known }
        let response = try make()
        answers.withLock { answers in
            answers.removeAll { $0.key == key }
            answers.append((key, response))
            if answers.count > Self.limit { answers.removeFirst() }
        }
        return response
    }
}
