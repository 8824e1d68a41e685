// SPDX-License-Identifier: MIT

extension String {
    /// Makes ASCII and Latin-1 control characters, which a terminal may interpret, visible.
    ///
    /// - Parameter texts: Replacements for some of them, instead of `\x1b`.
    /// - Returns: The text; unchanged if it contains none.
    package func showingControls(_ texts: [Unicode.Scalar: String]) -> String {
        guard unicodeScalars.contains(where: \.isControl) else { return self }
        var shown = ""
        for scalar in unicodeScalars {
            if !scalar.isControl {
                shown.unicodeScalars.append(scalar)
            } else if let text = texts[scalar] {
                shown += text
            } else {
                shown += "\\x" + (scalar.value < 16 ? "0" : "") + String(scalar.value, radix: 16)
            }
        }
        return shown
    }
}

extension Unicode.Scalar {
    fileprivate var isControl: Bool { value < 0x20 || 0x7F...0x9F ~= value }
}
