// SPDX-License-Identifier: MIT

extension String {
    /// Makes the controls of ASCII and Latin 1, which a terminal may obey, visible.
    ///
    /// - Parameter texts: What stands for some of them instead of `\x1b`.
    /// - Returns: The text itself where it holds none.
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
