// SPDX-License-Identifier: MIT

import TaplineRegex
import Testing

@Suite struct PatternErrorTests {
    private func failure(_ text: String, _ options: PatternOptions = .init()) -> PatternError? {
        do throws(PatternError) {
            _ = try Pattern(text, options: options)
            return nil
        } catch {
            return error
        }
    }

    @Test(arguments: [
        ("[b-a]", "invalid character class range: 'b-a'", 1, 3),
        ("a**", "bad repetition operator: '**'", 1, 2),
        (#"x\q"#, #"invalid escape sequence: '\q'"#, 1, 2),
        ("ab(?=c)", "invalid perl operator: '(?='", 2, 3),
        ("(?P<1 x>a)", "invalid named capture group: '(?P<1 x>'", 0, 8),
    ])
    func reportsTheProblemAndItsPosition(text: String, message: String, offset: Int, length: Int) {
        let error = failure(text)
        #expect(error?.message == message)
        #expect(error?.offset == offset)
        #expect(error?.length == length)
        #expect(error.map(String.init(describing:)) == message)
    }

    @Test func reportsNoPositionIfItIsAmbiguous() {
        let error = failure(#"\q.\q"#)
        #expect(error != nil)
        #expect(error?.offset == nil)
    }

    @Test func reportsUnclosedGroups() {
        #expect(failure("(a")?.message.hasPrefix("missing )") == true)
        #expect(failure("a)")?.message.hasPrefix("unexpected )") == true)
        #expect(failure("[a")?.message.hasPrefix("missing ]") == true)
    }

    @Test func limitsTheLengthOfTheText() {
        var options = PatternOptions()
        options.maxTextBytes = 4
        #expect(failure("abcd", options) == nil)
        #expect(
            failure("abcde", options)?.message
                == "expression is too long; found 5 bytes, expected at most 4"
        )
    }

    @Test func limitsTheSizeOfTheProgram() throws {
        var options = PatternOptions()
        options.maxProgramSize = 50
        #expect(failure("[a-z]{3}", options) == nil)
        let error = try #require(failure("([a-z]{30}x){5}", options))
        #expect(error.message.hasPrefix("compiled expression is too large; found "))
        #expect(error.message.hasSuffix(" instructions, expected at most 50"))
    }

    @Test(arguments: [
        "((a{100}){100}){100}", String(repeating: "(", count: 5_000), "\\", "a{1001}",
    ])
    func rejectsCostlyExpressions(text: String) {
        #expect(failure(text) != nil)
    }

    @Test func limitsTheMemory() {
        var options = PatternOptions()
        options.maxMemoryBytes = 1_024
        #expect(failure(#"\pL{100}"#, options)?.message == "pattern too large - compile failed")
        options.maxMemoryBytes = -5
        #expect(failure(#"\pL{100}"#, options) != nil)
    }

    @Test func acceptsNULInTheText() throws {
        #expect(try Pattern("a\0b").matches("xa\0by"))
    }
}
