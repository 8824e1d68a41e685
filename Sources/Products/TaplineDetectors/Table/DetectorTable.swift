// SPDX-License-Identifier: MIT

/// All detectors, in the order of the reference page.
enum DetectorTable {
    static let all: [Detector] =
        cloud + code + ai + services + messaging + payment + monitoring + credentials + personal

    /// The maximum number of forms that the reference page shows for a detector.
    private static let shownForms = 3

    /// The lines of the table on the reference page; one for each detector after the two header
    /// lines.
    static var lines: [String] {
        ["| detector | group | finds | forms |", "|---|---|---|---|"]
            + all.map { detector in
                let forms = detector.forms.map(\.text)
                var shown = forms.prefix(shownForms).joined(separator: "<br>")
                if forms.count > shownForms { shown += "<br>and \(forms.count - shownForms) more" }
                let request = detector.isStandard ? "" : ", opt-in"
                return "| `\(detector.name)` | \(detector.group.rawValue) "
                    + "| \(detector.summary)\(request) | \(shown.replacing("|", with: "\\|")) |"
            }
    }
}
