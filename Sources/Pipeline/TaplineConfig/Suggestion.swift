// SPDX-License-Identifier: MIT

internal import TaplineModel

/// Finds the name that a misspelled one was probably meant to be.
package enum Suggestion {
    /// Returns the nearest name if it is near enough: at most one edit for each three letters.
    package static func nearest(to text: String, among names: [String]) -> String? {
        guard text.utf8.count <= 64 else { return nil }
        let allowed = max(1, text.unicodeScalars.count / 3)
        return names.map { (name: $0, distance: distance(text, $0)) }
            .filter { $0.distance <= allowed }
            .min { $0.distance < $1.distance }?
            .name
    }

    /// Returns `did you mean 'name'?` if a name is near enough.
    package static func help(for text: String, among names: [String]) -> String? {
        nearest(to: text, among: names).map { "did you mean '\($0)'?" }
    }

    private static func distance(_ left: String, _ right: String) -> Int {
        EditDistance.between(
            Array(left.lowercased().unicodeScalars),
            Array(right.lowercased().unicodeScalars)
        )
    }
}
