// SPDX-License-Identifier: MIT

import TaplineMatching
import TaplineModel
import Testing

@testable import ProxySource

/// What goes on when recordings are read again.
@Suite struct AnswerLibraryTests {
    private func exchange(_ id: UInt64, _ target: ByteString) -> Exchange {
        Exchange(
            id: ExchangeID(high: 0, low: id),
            request: Request(target: target, authority: "a.test"),
            response: Response(status: 200)
        )
    }

    private func library(_ exchanges: [Exchange]) -> AnswerLibrary {
        let answers = RecordedAnswers(RequestRules([.method, .path]))
        let kept = exchanges.compactMap { RecordedAnswer($0) }
        for answer in kept { answers.add(answer.request) }
        return AnswerLibrary(answers, kept.map { .kept($0) }, files: [])
    }

    /// The recording that answers the next request.
    private func next(
        _ library: AnswerLibrary,
        _ target: ByteString = "/n"
    ) -> RecordedAnswers.Answer {
        library.answers.answer(
            exchange(0, target).request,
            RecordedAnswers.Asking(comparesHost: false)
        ) { _ in nil }
    }

    @Test("sequences go on if only what the run has recorded was added")
    func sequences() {
        let recording = [exchange(1, "/n"), exchange(2, "/n"), exchange(3, "/n")]
        let first = library(recording)
        #expect(next(first) == .recording(0))
        #expect(first.add(exchange(9, "/new")) == .added)
        let second = library(recording)
        second.continueAfter(first)
        #expect(next(second) == .recording(1))
        // Others have removed the last one.
        let shorter = library(Array(recording.dropLast()))
        shorter.continueAfter(second)
        #expect(next(shorter) == .recording(0))
        #expect(shorter.answers.count == 3)
        // Others have changed the paths.
        let renamed = library([exchange(1, "/m"), exchange(2, "/m")])
        renamed.continueAfter(shorter)
        #expect(next(renamed, "/m") == .recording(0))
    }

    @Test("sequences begin anew if the run has recorded nothing")
    func changes() {
        let recording = [exchange(1, "/n"), exchange(2, "/n")]
        let first = library(recording)
        #expect(next(first) == .recording(0))
        let second = library(recording)
        second.continueAfter(first)
        #expect(next(second) == .recording(0))
    }
}
