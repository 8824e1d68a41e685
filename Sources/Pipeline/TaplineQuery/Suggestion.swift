// SPDX-License-Identifier: MIT

internal import TaplineModel

/// Finds the word that a mistyped one was probably meant to be.
enum Suggestion {
    /// Returns the nearest candidate if at most a third of the letters are wrong.
    static func nearest(to word: String, among candidates: [String]) -> String? {
        let letters = Array(word.utf8)
        guard letters.count <= 64 else { return nil }
        var best: (distance: Int, candidate: String)?
        for candidate in candidates {
            let distance = EditDistance.between(letters, Array(candidate.utf8))
            if distance < best?.distance ?? .max { best = (distance, candidate) }
        }
        guard let best, best.distance <= max(1, letters.count / 3) else { return nil }
        return best.candidate
    }
}
