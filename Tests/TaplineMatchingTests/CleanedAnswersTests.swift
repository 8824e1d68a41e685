// SPDX-License-Identifier: MIT

import TaplineModel
import Testing

@testable import TaplineMatching

/// Recordings of tests: each answers one request, which may be cleaned.
@Suite struct CleanedAnswersTests {
    private struct Recording {
        let requests: [Request]
        let answers: RecordedAnswers

        init(_ urls: [String], repeats: AnswerRepeats = .last) {
            requests = urls.map { CleanedAnswersTests.request($0) }
            answers = RecordedAnswers(
                RequestRules(.standard),
                repeats: repeats,
                masks: ["[redacted]"]
            )
            for request in requests { answers.add(request) }
        }
    }

    private static func request(_ url: String) -> Request {
        var request = Request(method: "GET")
        request.setURL(url.utf8.span)
        return request
    }

    private func answer(
        _ recording: Recording,
        _ raw: Request,
        _ clean: Request
    ) -> RecordedAnswers.Answer {
        recording.answers.unusedAnswer(raw, cleaned: clean) {
            RequestParts(recording.requests[$0])
        }
    }

    @Test func eachPartMayEqualTheRawOrTheCleanedOne() {
        let recording = Recording(["http://a.test/users/[redacted]?page=1&token=[redacted]"])
        let raw = Self.request("http://a.test/users/secret?page=1&token=[redacted]")
        let clean = Self.request("http://a.test/users/[redacted]?page=1&token=[twice]")
        #expect(answer(recording, raw, clean) == .recording(0))
    }

    @Test func recordingsWithEqualLettersComeBeforeMaskedOnes() {
        let urls = ["http://a.test/[redacted]", "http://a.test/x", "http://a.test/x"]
        let recording = Recording(urls, repeats: .miss)
        let live = Self.request("http://a.test/x")
        #expect(answer(recording, live, live) == .recording(1))
        #expect(answer(recording, live, live) == .recording(2))
        #expect(answer(recording, live, live) == .usedUp(2))
        let other = Self.request("http://a.test/y")
        #expect(answer(recording, other, other) == .recording(0))
    }

    @Test func severalMatchesAreUsedInOrder() {
        let urls = ["http://a.test/a/[redacted]", "http://a.test/[redacted]/b"]
        let recording = Recording(urls)
        let live = Self.request("http://a.test/a/b")
        let found = (0..<3).map { _ in answer(recording, live, live) }
        #expect(found == [.recording(0), .recording(1), .recording(1)])
    }

    @Test func anExplanationHasMasksWhereTheRecordingHas() {
        let recording = Recording(["http://a.test/x?token=[redacted]&page=1"])
        let live = Self.request("http://a.test/x?token=secret&page=2")
        let miss = recording.answers.explain(live, cleaned: live, .none) {
            RequestParts(recording.requests[$0])
        }
        #expect(miss.url == "http://a.test/x?token=[redacted]&page=2")
        #expect(miss.nearest.first?.differences.map(\.part) == ["query item 'page'"])
    }
}
