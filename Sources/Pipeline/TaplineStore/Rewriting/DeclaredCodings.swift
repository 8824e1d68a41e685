// SPDX-License-Identifier: MIT

internal import TaplineCodings

/// The lists of codings that exchanges declare for stored bodies.
///
/// Few of them differ, so a body has only a number, which stands for its lists.
struct DeclaredCodings: Sendable {
    /// The distinct sets of lists, by number.
    private(set) var sets: [Set<[ContentCoding]>] = []
    private var numbers: [Set<[ContentCoding]>: UInt32] = [:]
    private var bodies: [Int64: UInt32] = [:]

    /// Adds a list of a body.
    mutating func add(_ list: [ContentCoding], of body: Int64) {
        var set: Set<[ContentCoding]> = []
        if let number = bodies[body] { set = sets[Int(number)] }
        guard set.insert(list).inserted else { return }
        if let number = numbers[set] {
            bodies[body] = number
        } else {
            let number = UInt32(clamping: sets.count)
            sets.append(set)
            numbers[set] = number
            bodies[body] = number
        }
    }

    /// Returns all lists of a body.
    func lists(of body: Int64) -> [[ContentCoding]] {
        bodies[body].map { Array(sets[Int($0)]) } ?? []
    }
}
