// SPDX-License-Identifier: MIT

import TaplineModel
import TaplinePlugin
import TestSupport
import Testing

@testable import RedactStage

/// Generated records can still be read and replayed after `preset: strict`.
///
/// Forms, kinds and lengths stay, and equal values stay equal.
@Suite struct StrictShapeTests {
    private static let words = StrictWords(ownNames: [])

    /// The values of one record with their stand-ins, which must match in all places.
    private struct Joins {
        private var standIns: [String: String] = [:]
        private var values: [String: String] = [:]
        private(set) var count = 0

        mutating func note(_ value: String, _ standIn: String) {
            // Texts of several words, addresses and short values have no single stand-in. Known
            // names are kept, but not as keys of maps; long values may be base64.
            guard 8...Pseudonyms.maxPermuted ~= value.utf8.count,
                value.utf8.allSatisfy(Pseudonyms.isAlphanumeric),
                !words.isName(value.utf8.span)
            else { return }
            if standIns[value] != nil { count += 1 }
            #expect(standIns[value, default: standIn] == standIn, "two stand-ins of '\(value)'")
            #expect(values[standIn, default: value] == value, "one stand-in of two values")
            let isLike = value.utf8.count == standIn.utf8.count && value != standIn
            #expect(isLike, "'\(value)' has the stand-in '\(standIn)'")
            #expect(
                value.utf8.allSatisfy(\.isDigit) == standIn.utf8.allSatisfy(\.isDigit),
                "'\(standIn)' and '\(value)' are of different kinds"
            )
            standIns[value] = standIn
            values[standIn] = value
        }
    }

    /// A JSON text, split into its punctuation and kinds of values, its strings, and its numbers.
    private struct JSONShape {
        var kinds = ""
        var strings: [String] = []
        var numbers: [String] = []

        init(_ text: [UInt8]) {
            let bytes = text.span
            var position = JSONText.start(bytes, 0..<bytes.count)
            while position < bytes.count {
                switch bytes[position] {
                case .ascii("\""):
                    let end = JSONText.endOfString(bytes, position, bytes.count)?.end ?? bytes.count
                    var value: [UInt8] = []
                    JSONText.decode(bytes.extracting(position + 1..<end - 1), to: &value)
                    strings.append(String(decoding: value, as: UTF8.self))
                    kinds += "s"
                    position = end
                case .ascii("-"), 0x30...0x39:
                    let end = JSONOutline.endOfScalar(bytes, position)
                    let number = Array(copying: bytes.extracting(position..<end))
                    numbers.append(String(decoding: number, as: UTF8.self))
                    kinds += "n"
                    position = end
                default:
                    kinds += String(decoding: [bytes[position]], as: UTF8.self)
                    position += 1
                }
            }
        }
    }

    private static func isJSON(_ text: [UInt8]) -> Bool {
        JSONOutline(text.span, words, maxDepth: 512) != nil
    }

    private static func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

    private static func parts(_ text: String, _ mark: Character) -> [String] {
        text.split(separator: mark, omittingEmptySubsequences: false).map(String.init)
    }

    // MARK: Comparing

    private static func compareJSON(_ before: [UInt8], _ after: [UInt8], _ joins: inout Joins) {
        #expect(isJSON(after), "\(text(after))")
        let (old, new) = (JSONShape(before), JSONShape(after))
        #expect(old.kinds == new.kinds, "\(text(before))\n\(text(after))")
        guard old.strings.count == new.strings.count, old.numbers.count == new.numbers.count else {
            return
        }
        for (value, standIn) in zip(old.strings, new.strings) { joins.note(value, standIn) }
        for (value, standIn) in zip(old.numbers, new.numbers) {
            #expect(value.count == standIn.count && value != standIn)
            #expect(value.hasPrefix("-") == standIn.hasPrefix("-"))
        }
    }

    private static func compareItems(_ before: String, _ after: String, _ joins: inout Joins) {
        let (old, new) = (parts(before, "&"), parts(after, "&"))
        #expect(old.count == new.count, "\(before)\n\(after)")
        for (item, made) in zip(old, new) {
            let (item, made) = (parts(item, "="), parts(made, "="))
            #expect(item.count == made.count)
            for (value, standIn) in zip(item, made) where value != standIn {
                joins.note(value, standIn)
            }
        }
        #expect(after.utf8.allSatisfy { 0x21...0x7E ~= $0 && $0 != .ascii("\"") }, "\(after)")
    }

    private static func compareURL(_ before: ByteString, _ after: ByteString, _ joins: inout Joins)
    {
        #expect((URLParts(before.span) == nil) == (URLParts(after.span) == nil))
        let (old, new) = (parts(before.description, "?"), parts(after.description, "?"))
        #expect(old.count == new.count && parts(old[0], "/").count == parts(new[0], "/").count)
        guard old.count == 2, new.count == 2 else { return }
        compareItems(old[1], new[1], &joins)
    }

    private static func compareCookies(_ before: String, _ after: String, _ joins: inout Joins) {
        let (old, new) = (parts(before, ";"), parts(after, ";"))
        #expect(old.count == new.count)
        for (pair, made) in zip(old, new) {
            let (pair, made) = (parts(pair, "="), parts(made, "="))
            #expect(pair.count == made.count && made.allSatisfy { !$0.isEmpty })
            if let value = pair.last, let standIn = made.last, value != standIn {
                joins.note(value, standIn)
            }
        }
    }

    private static func compareMultipart(_ before: Request, _ after: Request) {
        func boundary(_ request: Request) -> String {
            let type = request.fields.first("content-type") ?? ByteString()
            return Parameter.find("boundary", in: type.span)
                .map { text(Array(copying: type.span.extracting($0))) } ?? ""
        }
        let (old, new) = (boundary(before), boundary(after))
        #expect(!new.isEmpty && new != old)
        // Each boundary begins a line; the last one ends the body.
        let lines = text(after.body.bytes).replacing("\r\n", with: "\n").split(separator: "\n")
        let wanted = text(before.body.bytes).replacing("\r\n", with: "\n").split(separator: "\n")
        let count = lines.count { $0 == "--\(new)" }
        #expect(count > 0 && count == wanted.count { $0 == "--\(old)" })
        #expect(lines.last == "--\(new)--")
        // Values over several lines make the head unreadable; such parts are masked.
        let heads = lines.count { $0.hasPrefix("Content-Disposition: form-data; name=\"") }
        let masked = lines.count { $0 == "[redacted]" }
        #expect(heads > 0 && heads + masked >= count)
    }

    /// Compares the lines and cells of a table, or the lines and names of events.
    private static func compareLines(_ before: String, _ after: String, _ marks: [Character]) {
        let (old, new) = (parts(before, "\n"), parts(after, "\n"))
        #expect(old.count == new.count)
        for (line, made) in zip(old, new) {
            for mark in marks { #expect(parts(line, mark).count == parts(made, mark).count) }
        }
    }

    private static func compareBody(_ before: Request, _ after: Request, _ joins: inout Joins) {
        let type = before.fields.first("content-type")?.description ?? ""
        let (old, new) = (before.body.bytes, after.body.bytes)
        switch type.prefix({ $0 != ";" }) {
        case "application/json" where isJSON(old): compareJSON(old, new, &joins)
        case "application/json": #expect(isJSON(new))
        case "application/x-www-form-urlencoded": compareItems(text(old), text(new), &joins)
        case "multipart/form-data": compareMultipart(before, after)
        case "text/csv": compareLines(text(old), text(new), [",", ";"])
        case "text/event-stream":
            compareLines(text(old), text(new), [])
            #expect(text(new).hasPrefix("event: ") && text(new).contains("\ndata: {"))
        case "text/html":
            #expect(text(new).hasPrefix(#"<?xml version="1.0"?><!DOCTYPE "#))
            #expect(text(new).contains("<html>") && text(new).contains("</script>"))
        default: break
        }
    }

    // MARK: Records

    @Test(arguments: 0..<8)
    func recordsKeepTheirShape(seed: Int) throws {
        let factory = try #require(build("{preset: strict, key_env: TAPLINE_REDACT_KEY}").factory)
        let stage = try #require(
            try factory.makeStage(StageContext(id: "redact")) as? any RecordStage
        )
        var joined = 0
        for number in 0..<Rounds.count(25, long: 200) {
            var planter = StrictPlanter(seed: seed * 1000 + number + 500_000)
            // Whole objects are replaced under names of secrets.
            planter.names = ["id", "userName", "created_at", "items", "price"]
            planter.repeats = true
            planter.hasCredentials = false
            let before = planter.record()
            var after = before
            var context = ExchangeContext()
            _ = try stage.record(&after, &context)
            var joins = Joins()
            let (request, made) = (before.request, after.request)
            Self.compareURL(request.target, made.target, &joins)
            if let url = before.original.url, let shown = after.original.url {
                Self.compareURL(url, shown, &joins)
            }
            #expect(made.authority == request.authority)
            #expect(made.fields.count == request.fields.count)
            for name in ["Cookie", "Set-Cookie"] {
                let (old, new) = (request.fields.first(name), made.fields.first(name))
                guard let old, let new else { continue }
                Self.compareCookies(old.description, new.description, &joins)
            }
            Self.compareBody(request, made, &joins)
            #expect(after.response?.status == 200 && after.messages.count == before.messages.count)
            #expect(after.response?.fields.count == before.response?.fields.count)
            #expect(after.tags.count == before.tags.count)
            Self.compareJSON(before.messages[0].bytes, after.messages[0].bytes, &joins)
            joined += joins.count
        }
        #expect(joined > 3, "too few values stand twice for the test to mean anything")
    }
}

extension String {
    fileprivate func prefix(_ isIncluded: (Character) -> Bool) -> String {
        String(prefix(while: isIncluded))
    }
}
