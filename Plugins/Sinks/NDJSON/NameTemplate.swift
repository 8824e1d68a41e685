// SPDX-License-Identifier: MIT

import TaplineModel
import TaplineSystem

/// A file path whose name may contain the date and a counter: `logs/traffic-%Y-%m-%d.{n}.ndjson`.
///
/// The directives are those of strftime(3) that have a fixed width and sort. Times are in UTC, so
/// that a name never repeats. The counter has at least six digits, so that names sort too.
struct NameTemplate: Sendable, Equatable {
    enum Part: Sendable, Equatable {
        case text(String)
        case year
        case month
        case day
        case dayOfYear
        case hour
        case minute
        case second
        case counter
    }

    /// Why a text is not a template.
    struct Problem: Error, Equatable {
        let message: String
    }

    /// The path as configured.
    let path: String
    /// The folder, taken literally.
    let folder: String
    /// The parts of the name.
    let parts: [Part]
    /// The suffix that follows the counter if the template has none: the name's last suffix.
    private let suffix: String

    init(_ path: String) throws(Problem) {
        self.path = path
        folder = FileSystem.folder(of: path)
        let name = FileSystem.name(of: path)
        guard !name.isEmpty, name != ".", name != ".." else {
            throw Problem(message: "the path has no file name; found '\(path)'")
        }
        if path.utf8.count > name.utf8.count {
            let directory = path.dropLast(name.count)
            if directory.contains("{n}") || directory.contains("%Y") || directory.contains("%m") {
                throw Problem(
                    message: "dates and counters are allowed only in the file name; "
                        + "found them in the folder"
                )
            }
        }
        parts = try Self.parse(name)
        suffix = Self.suffix(of: name)
    }

    private static func parse(_ name: String) throws(Problem) -> [Part] {
        var parts: [Part] = []
        var text = ""
        var rest = Substring(name)
        func flush() {
            if !text.isEmpty { parts.append(.text(text)) }
            text = ""
        }
        while let character = rest.popFirst() {
            if character == "{", rest.hasPrefix("n}") {
                rest = rest.dropFirst(2)
                flush()
                parts.append(.counter)
            } else if character != "%" {
                text.append(character)
            } else if let letter = rest.popFirst() {
                if letter == "%" {
                    text.append("%")
                    continue
                }
                guard let part = directives[letter] else {
                    throw Problem(
                        message: "unknown directive '%\(letter)' in the file name; "
                            + "expected %Y, %m, %d, %j, %H, %M, %S or %%"
                    )
                }
                flush()
                parts.append(part)
            } else {
                throw Problem(message: "the file name ends with a single '%'; expected '%%'")
            }
        }
        flush()
        guard parts.count(where: { $0 == .counter }) < 2 else {
            throw Problem(message: "the file name has two counters; expected at most one '{n}'")
        }
        return parts
    }

    private static let directives: [Character: Part] = [
        "Y": .year, "m": .month, "d": .day, "j": .dayOfYear, "H": .hour, "M": .minute,
        "S": .second,
    ]

    /// The name's last dot and what follows it; empty if the dot is the first character.
    private static func suffix(of name: String) -> String {
        guard let dot = name.lastIndex(of: "."), dot > name.startIndex else { return "" }
        return String(name[dot...])
    }
}

// MARK: - Making names

extension NameTemplate {
    /// Whether the name contains a counter, so that finished files keep their names.
    var hasCounter: Bool { parts.contains(.counter) }

    /// Whether the name changes with time.
    var hasDate: Bool { parts.contains { $0.width != nil } }

    /// The path for a moment and a counter.
    func path(at moment: Timestamp, counter: Int) -> String {
        var name = ""
        for part in parts { name += part.text(at: moment, counter: counter) }
        return folder(with: name)
    }

    /// The path that a finished file is moved to, for a template without a counter.
    func archive(of path: String, counter: Int) -> String {
        let name = FileSystem.name(of: path)
        return folder(with: name.dropLast(suffix.count) + ".\(Self.number(counter))\(suffix)")
    }

    func folder(with name: some StringProtocol) -> String {
        switch folder {
        case "/": "/\(name)"
        case ".": path.hasPrefix("./") ? "./\(name)" : String(name)
        default: "\(folder)/\(name)"
        }
    }

    static func number(_ counter: Int) -> String {
        let digits = String(counter)
        return String(repeating: "0", count: max(0, 6 - digits.count)) + digits
    }
}

// MARK: - Recognising names

extension NameTemplate {
    /// The date and number in a name; the files of a template sort by them.
    struct Match: Comparable {
        var date: [Int]
        var counter: Int?
        /// Whether finished files are moved to this name.
        var isArchive: Bool

        /// A file without a number is newer than numbered files of the same date.
        static func < (left: Match, right: Match) -> Bool {
            if left.date != right.date { return left.date.lexicographicallyPrecedes(right.date) }
            return (left.counter ?? .max) < (right.counter ?? .max)
        }
    }

    /// Parses a name; returns `nil` if the template cannot have produced it.
    func match(_ name: String) -> Match? {
        if let (date, counter) = values(of: name.utf8.span, parts) {
            return Match(date: date, counter: counter, isArchive: false)
        }
        guard !hasCounter, name.hasSuffix(suffix) else { return nil }
        let stem = name.dropLast(suffix.count)
        guard let dot = stem.lastIndex(of: ".") else { return nil }
        let digits = stem[stem.index(after: dot)...]
        guard let counter = Self.counter(digits.utf8.span),
            let (date, _) = values(of: (stem[..<dot] + suffix).utf8.span, parts)
        else { return nil }
        return Match(date: date, counter: counter, isArchive: true)
    }

    private static func counter(_ digits: Span<UInt8>) -> Int? {
        guard digits.count >= 6, digits.count == 6 || digits[0] != .ascii("0") else { return nil }
        return digits.decimal
    }

    /// The date, largest unit first, and the number in a name.
    private func values(of name: Span<UInt8>, _ parts: [Part]) -> ([Int], Int?)? {
        var date = [Int](repeating: 0, count: 7)
        var counter: Int?
        var index = 0
        for (position, part) in parts.enumerated() {
            if case .text(let text) = part {
                let bytes = text.utf8.span
                guard name.count - index >= bytes.count,
                    name.extracting(index..<index + bytes.count).equals(bytes)
                else { return nil }
                index += bytes.count
            } else if let width = part.width {
                guard name.count - index >= width,
                    let value = name.extracting(index..<index + width).decimal
                else { return nil }
                date[part.rank] = value
                index += width
            } else {
                // What follows has a fixed length, so the number ends where the rest begins.
                let rest = parts[(position + 1)...].reduce(0) { $0 + $1.length }
                guard name.count - rest > index,
                    let value = Self.counter(name.extracting(index..<name.count - rest))
                else { return nil }
                counter = value
                index = name.count - rest
            }
        }
        return index == name.count ? (date, counter) : nil
    }
}

extension NameTemplate.Part {
    /// The number of digits of a date part; `nil` for other parts.
    var width: Int? {
        switch self {
        case .year: 4
        case .dayOfYear: 3
        case .month, .day, .hour, .minute, .second: 2
        case .text, .counter: nil
        }
    }

    /// The length of the part in a name, in bytes; 0 for a counter, whose length varies.
    var length: Int {
        if case .text(let text) = self { return text.utf8.count }
        return width ?? 0
    }

    /// The position of the part in a date that sorts.
    var rank: Int {
        switch self {
        case .year: 0
        case .dayOfYear: 1
        case .month: 2
        case .day: 3
        case .hour: 4
        case .minute: 5
        case .second: 6
        case .text, .counter: 0
        }
    }

    func text(at moment: Timestamp, counter: Int) -> String {
        let date = moment.date
        let time = moment.time
        switch self {
        case .text(let text): return text
        case .counter: return NameTemplate.number(counter)
        case .year: return digits(Int(clamping: min(max(date.year, 0), 9999)))
        case .month: return digits(date.month)
        case .day: return digits(date.day)
        case .dayOfYear: return digits(moment.dayOfYear)
        case .hour: return digits(time.hour)
        case .minute: return digits(time.minute)
        case .second: return digits(time.second)
        }
    }

    private func digits(_ value: Int) -> String {
        let text = String(value)
        return String(repeating: "0", count: max(0, (width ?? 0) - text.count)) + text
    }
}

extension Timestamp {
    /// The day of the year, from 1.
    fileprivate var dayOfYear: Int {
        let date = self.date
        let isLeap = date.year % 4 == 0 && (date.year % 100 != 0 || date.year % 400 == 0)
        let before = [0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334]
        return before[max(0, min(date.month - 1, 11))] + date.day
            + (isLeap && date.month > 2 ? 1 : 0)
    }
}
