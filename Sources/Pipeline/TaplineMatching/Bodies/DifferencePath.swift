// SPDX-License-Identifier: MIT

internal import TaplineModel

/// The path of a part of a message: `$.items[3]["unit price"]`, `form.page`, `header.location`.
///
/// **Shape**: a root, and steps that are added and removed while a message is walked. Names that
/// are not plain are written as JSON strings in brackets, so that a path is one word of a rule
/// unless a name contains blanks.
struct DifferencePath {
    /// The longest name that is a part of general paths.
    private static let maxName = 64

    /// The path with positions.
    private(set) var place: [UInt8]
    /// Where each step begins in `place`.
    private var steps: [Int] = []
    /// Whether general paths are without positions, rather than with `[*]`.
    private let hidesPositions: Bool

    init(root: String, hidesPositions: Bool = false) {
        place = Array(root.utf8)
        self.hidesPositions = hidesPositions
    }

    /// A path that consists of a name in a namespace, such as `header.location`.
    init(_ root: String, name: String) {
        self.init(root: root)
        push(name: name.utf8.span)
    }

    /// How many steps the path has.
    var depth: Int { steps.count }

    mutating func push(name: Span<UInt8>) {
        steps.append(place.count)
        if Self.isPlain(name) {
            place.append(.ascii("."))
            place.append(copying: name)
        } else {
            place.append(.ascii("["))
            Self.appendQuoted(name, to: &place)
            place.append(.ascii("]"))
        }
    }

    mutating func push(index: Int) {
        steps.append(place.count)
        place.append(.ascii("["))
        place.append(contentsOf: String(index).utf8)
        place.append(.ascii("]"))
    }

    /// Adds a step to an element that has no fixed position.
    mutating func pushElement() {
        steps.append(place.count)
        place.append(contentsOf: "[*]".utf8)
    }

    mutating func pop() {
        guard let start = steps.popLast() else { return }
        place.removeLast(place.count - start)
    }

    /// The path with `[*]` in place of positions, and `.*` in place of names that look like ids.
    var general: [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(place.count)
        let bytes = place.span
        let firstStep = steps.first ?? bytes.count
        result.append(copying: bytes.extracting(0..<firstStep))
        for (number, start) in steps.enumerated() {
            let end = number + 1 < steps.count ? steps[number + 1] : bytes.count
            let step = bytes.extracting(start..<end)
            if step[0] == .ascii("["), step[1] != .ascii("\"") {
                if !hidesPositions { result.append(contentsOf: "[*]".utf8) }
            } else if Self.isVariable(step) {
                result.append(contentsOf: ".*".utf8)
            } else {
                result.append(copying: step)
            }
        }
        return result
    }

    /// Whether a step has a name that is probably the key of one of many objects.
    private static func isVariable(_ step: Span<UInt8>) -> Bool {
        let name =
            step[0] == .ascii(".")
            ? step.extracting(1..<step.count) : step.extracting(2..<max(step.count - 2, 2))
        return name.count > maxName || PathTemplate.isVariable(name)
            || name.firstIndex(of: .ascii("@"), from: 1) != nil
    }

    private static func isPlain(_ name: Span<UInt8>) -> Bool {
        for index in name.indices {
            switch name[index] {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, .ascii("_"), .ascii("-"), .ascii(":"): break
            case .ascii("@") where index == 0: break
            default: return false
            }
        }
        return !name.isEmpty
    }

    private static func appendQuoted(_ name: Span<UInt8>, to output: inout [UInt8]) {
        let digits = Array("0123456789abcdef".utf8)
        output.append(.ascii("\""))
        for index in name.indices {
            let byte = name[index]
            if byte == .ascii("\"") || byte == .ascii("\\") {
                output.append(.ascii("\\"))
                output.append(byte)
            } else if byte < 0x20 || byte == 0x7F {
                output.append(contentsOf: "\\u00".utf8)
                output.append(digits[Int(byte >> 4)])
                output.append(digits[Int(byte & 15)])
            } else {
                output.append(byte)
            }
        }
        output.append(.ascii("\""))
    }

    /// Calls a closure with the path of each part that contains a part, the part itself first.
    ///
    /// - Returns: Whether the closure has returned `true`, which ends the search.
    static func searchAncestors(of path: [UInt8], _ isFound: ([UInt8]) -> Bool) -> Bool {
        if isFound(path) { return true }
        var isQuoted = false
        var borders: [Int] = []
        var position = 0
        while position < path.count {
            let byte = path[position]
            if isQuoted {
                if byte == .ascii("\\") { position += 1 }
                if byte == .ascii("\"") { isQuoted = false }
            } else if byte == .ascii("\"") {
                isQuoted = true
            } else if byte == .ascii(".") || byte == .ascii("["), position > 0 {
                borders.append(position)
            }
            position += 1
        }
        return borders.reversed().contains { isFound(Array(path[..<$0])) }
    }
}
