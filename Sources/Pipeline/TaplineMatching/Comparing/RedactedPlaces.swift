// SPDX-License-Identifier: MIT

internal import TaplineModel

/// The parts of messages that were redacted, to show no name that is only in what was replaced.
struct RedactedPlaces {
    /// The general paths of what was replaced, by place.
    private var replaced: [[UInt8]: [UInt8]] = [:]
    /// The places of what was replaced, and of what contains it.
    private var visible: Set<[UInt8]> = []

    /// Adds the differences between a message and its redacted form.
    mutating func add(_ list: DifferenceList) {
        for difference in list.all {
            replaced[difference.place] = difference.path
            _ = DifferencePath.searchAncestors(of: difference.place) { part in
                visible.insert(part)
                return false
            }
        }
    }

    /// Returns the path and the place of a difference that the redacted messages do not have.
    ///
    /// If the part is in an object that was replaced, they are those of the object; if it is not
    /// known where the part is, they are the namespace.
    func shown(_ difference: FoundDifference) -> (path: [UInt8], place: [UInt8]) {
        let place = difference.place
        let hasNames = place.contains { $0 == .ascii(".") || $0 == .ascii("\"") }
        if !hasNames || visible.contains(place) { return (difference.path, place) }
        var container: [UInt8]?
        _ = DifferencePath.searchAncestors(of: place) { part in
            if replaced[part] != nil { container = part }
            return false
        }
        if let container, let path = replaced[container] { return (path, container) }
        let root = Array(place.prefix { $0 != .ascii(".") && $0 != .ascii("[") })
        return (root, root)
    }
}
