// SPDX-License-Identifier: MIT

import TaplineConfig
import TaplinePlugin
import TestSupport
import Testing

@testable import RedactStage

@Suite struct RedactOptionsTests {
    private static let page: [String] = {
        let path = "\(TestFiles.repository)/Plugins/Stages/Redact/README.md"
        return ((try? TestFiles.text(of: path)) ?? "")
            .split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    }()

    /// Returns the words in backticks after the line `heading`.
    private func words(after heading: String) -> [String] {
        let lines = Self.page.drop { $0 != heading }.dropFirst(2).prefix { !$0.isEmpty }
        return lines.joined(separator: " ").split(separator: "`", omittingEmptySubsequences: false)
            .enumerated().filter { $0.offset % 2 == 1 }.map { String($0.element) }
    }

    @Test func thePageListsTheStandardPreset() {
        #expect(words(after: "Additional fields:") == StandardPreset.fields)
        #expect(words(after: "Anywhere in a name:") == StandardPreset.parts)
        let last = words(after: "The last words of a name:")
        #expect(last == StandardPreset.shortSecrets + StandardPreset.names)
        #expect(words(after: "The whole name:") == StandardPreset.wholeNames)
        #expect(words(after: "Queries and forms only:") == StandardPreset.formNames)
        let harmless = words(after: "Names that are kept despite a matching ending:")
        #expect(harmless == StandardPreset.harmless)
        #expect(words(after: "Qualifiers at the end of a name:") == StandardPreset.qualifiers)
    }

    @Test func thePageListsTheStrictPreset() {
        let fields = words(after: "Fields whose values are parsed by their grammar:")
        #expect(fields == StrictRedactor.safeFields)
        let lists = [
            ("nameWords", StrictWords.nameWords), ("markupWords", StrictWords.markupWords),
            ("fieldNames", StrictWords.fieldNames), ("valueWords", StrictWords.valueWords),
            ("codeWords", StrictWords.codeWords), ("mediaTypes", StrictWords.mediaTypes),
            ("proseWords", StrictWords.proseWords), ("routeWords", StrictWords.routeWords),
            ("fileEndings", StrictWords.fileEndings), ("methods", StrictWords.methods),
            ("cipherWords", StrictWords.cipherWords),
        ]
        for (name, list) in lists {
            let count = list.split(whereSeparator: \.isWhitespace).count
            let isListed = Self.page.contains { $0.hasSuffix(" | \(count) | `\(name)` |") }
            #expect(isListed, "\(name): \(count)")
        }
    }

    @Test(arguments: [
        ("preset: all", "unknown value 'all' in 'preset'; expected standard, strict, none"),
        ("headers: ['']", "the name is empty"),
        (
            "headers: [[a]]",
            "wrong type of value; found a list, expected a name, or a mapping with 'name'"
        ),
        ("headers: [{action: mask}]", "option 'name' is missing in 'headers'; expected text"),
        (
            "action: drop",
            "unknown value 'drop' in 'action'; expected mask, remove, hash, pseudonym"
        ),
    ])
    func invalidOptionsAreErrors(yaml: String, message: String) {
        let built = build(yaml)
        #expect(built.factory == nil)
        #expect(built.problems.first?.lowercased() == message.lowercased())
    }
}
