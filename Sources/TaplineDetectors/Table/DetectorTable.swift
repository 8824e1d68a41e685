// SPDX-License-Identifier: MIT

/// All detectors there are, in the order in which they are shown.
enum DetectorTable {
    static let all: [Detector] =
        cloud + code + ai + services + messaging + payment + monitoring + credentials + personal

    /// How many forms of one detector the reference page shows.
    private static let shownForms = 3

    /// The table of the reference page, a line for each detector.
    static var lines: [String] {
        ["| detector | group | finds | forms |", "|---|---|---|---|"]
            + all.map { detector in
                let forms = detector.forms.map(\.text)
                var shown = forms.prefix(shownForms).joined(separator: "<br>")
                if forms.count > shownForms { shown += "<br>and \(forms.count - shownForms) more" }
                let request = detector.isStandard ? "" : ", on request"
                return "| `\(detector.name)` | \(detector.group.rawValue) "
                    + "| \(detector.summary)\(request) | \(shown.replacing("|", with: "\\|")) |"
            }
    }
}
