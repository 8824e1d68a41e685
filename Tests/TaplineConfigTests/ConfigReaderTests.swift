// SPDX-License-Identifier: MIT

import TaplineConfig
import Testing

/// Properties of the whole file: encoding, size, limits.
@Suite
struct ConfigReaderTests {
    private func rendered(_ bytes: [UInt8]) -> String {
        var diagnostics = Diagnostics()
        #expect(ConfigReader().read(bytes, name: "p.yaml", into: &diagnostics) == nil)
        return diagnostics.rendered
    }

    @Test(arguments: ["", "# nothing\n", "---\n", "null\n", "\u{FEFF}", "\n\n"])
    func emptyFile(_ text: String) {
        let rendered = rendered(Array(text.utf8))
        #expect(rendered.hasPrefix("p.yaml:1:1: error: the file is empty; expected a mapping\n"))
    }

    @Test func byteOrderMarkIsSkipped() {
        let (node, diagnostics) = read("\u{FEFF}a: 1\nb: *q\n")
        #expect(flat(node) == "{a: ~1, b: null}")
        #expect(diagnostics.rendered.hasPrefix("p.yaml:2:4: error: there is no anchor 'q'"))
    }

    @Test func byteThatIsNotUTF8() {
        #expect(
            rendered(Array("a: \u{E4}\nb: ".utf8) + [0xC3, 0x28, 0x0A]) == """
                p.yaml:2:4: error: the file is not UTF-8; found byte 0xC3 at offset 9
                    2 | b: \u{FFFD}(
                      |    ^
                help: save it as UTF-8

                """
        )
    }

    @Test(
        arguments: [
            [0xC0, 0x80], [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80], [0xE0, 0x9F, 0xBF],
            [0xF0, 0x8F, 0xBF, 0xBF], [0xF5, 0x80, 0x80, 0x80], [0x80], [0xE2, 0x82], [0xFF],
        ] as [[UInt8]]
    )
    func malformedSequences(_ bytes: [UInt8]) {
        #expect(rendered(Array("a: ".utf8) + bytes).contains("p.yaml:1:4: error: the file is not"))
    }

    @Test(arguments: [0x7F, 0x7FF, 0xD7FF, 0xE000, 0xFFFD, 0x1_0000, 0x10_FFFF] as [UInt32])
    func wellFormedSequences(_ value: UInt32) throws {
        let scalar = try #require(Unicode.Scalar(value))
        #expect(!read("a: \"x\(scalar)\"\n").diagnostics.rendered.contains("not UTF-8"))
    }

    @Test(arguments: [[0xFF, 0xFE, 0x61, 0x00], [0xFE, 0xFF, 0x00, 0x61]] as [[UInt8]])
    func utf16(_ bytes: [UInt8]) {
        #expect(
            rendered(bytes).hasPrefix("p.yaml:1:1: error: the file is UTF-16; expected UTF-8\n")
        )
    }

    @Test func hundredMegabytesAreRefusedAtOnce() {
        let bytes = [UInt8](repeating: UInt8(ascii: "a"), count: 100_000_000)
        let clock = ContinuousClock()
        var text = ""
        let elapsed = clock.measure { text = rendered(bytes) }
        #expect(
            text == """
                p.yaml: error: the file is too large; expected at most 8MiB
                help: a configuration is small; is this a recording?

                """
        )
        #expect(elapsed < .seconds(1))
    }

    @Test func largestFileThatIsRead() {
        var limits = YAMLLimits()
        limits.bytes = 6
        #expect(read("a: 12\n", limits: limits).node != nil)
        #expect(read("a: 123\n", limits: limits).node == nil)
    }

    @Test func nestingUpToTheLimit() {
        let fits = String(repeating: "[", count: 64) + String(repeating: "]", count: 64)
        #expect(!read(fits).diagnostics.hasErrors)
        #expect(
            read("[" + fits + "]").diagnostics.rendered == """
                p.yaml:1:65: error: lists and mappings are nested too deeply; expected at most 64 levels
                    1 | …[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]…
                      |                                                ^

                """
        )
    }

    @Test(arguments: ["[", "{a: ", "- ", "? ", "a:\n", "[{", "&a ", "!!seq [", "- ? ", "\"", "'a"])
    func hostileRepetition(_ unit: String) {
        let clock = ContinuousClock()
        let text = String(repeating: unit, count: 200_000 / unit.utf8.count)
        let elapsed = clock.measure {
            #expect(read(text).diagnostics.hasErrors)
        }
        #expect(elapsed < .seconds(5))
    }

    @Test func tooManyValues() {
        var limits = YAMLLimits()
        limits.nodes = 10
        let nine = "[" + (1...9).map { "\($0)" }.joined(separator: ",") + "]"
        #expect(read(nine, limits: limits).node != nil)
        #expect(
            read("[0," + nine.dropFirst(), limits: limits).diagnostics.rendered == """
                p.yaml:1:20: error: the file has too many values; expected at most 10
                    1 | [0,1,2,3,4,5,6,7,8,9]
                      |                    ^

                """
        )
    }

    @Test func aliasBombStops() {
        var text = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n"
        for level in 1...20 {
            let alias = "*a\(level - 1)"
            let list = Array(repeating: alias, count: 10).joined(separator: ", ")
            text += "a\(level): &a\(level) [\(list)]\n"
        }
        let (node, diagnostics) = read(text)
        #expect(node == nil)
        #expect(
            diagnostics.rendered.hasPrefix(
                "p.yaml:5:10: error: aliases make the file too large; expected at most 20000 values"
            )
        )
    }

    @Test func aliasesCannotHideDepth() {
        let open = String(repeating: "[", count: 40)
        let close = String(repeating: "]", count: 40)
        let (node, diagnostics) = read("a: &a \(open)\(close)\nb: \(open)*a\(close)\n")
        #expect(node == nil)
        #expect(diagnostics.rendered.contains("nested too deeply"))
    }

    @Test func limitsHaveLimits() {
        var limits = YAMLLimits()
        limits.depth = .max
        limits.aliasNodes = .max
        limits.nodes = .max
        limits.bytes = .max
        let deep = String(repeating: "[", count: 100_000)
        #expect(read(deep, limits: limits).diagnostics.rendered.contains("at most 512 levels"))
    }
}
