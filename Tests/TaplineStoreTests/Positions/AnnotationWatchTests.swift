// SPDX-License-Identifier: MIT

import TaplineModel
import TaplineTesting
import Testing

@testable import TaplineStore

@Suite("Changes of notes and tags")
struct AnnotationWatchTests {
    @Test("Ids of several stores are joined only if all of them are known, and not cut")
    func joins() {
        let ids = (0..<1001).map { Exchange.example($0).id }
        let (few, rest) = (Array(ids[..<3]), Array(ids[3...]))
        #expect(AnnotationWatch.joined(few, Array(rest[..<997])) == Array(ids[..<1000]))
        #expect(AnnotationWatch.joined(few, rest).isEmpty)
        #expect(AnnotationWatch.joined(few, []).isEmpty)
        #expect(AnnotationWatch.joined([], few).isEmpty)
    }
}
