// SPDX-License-Identifier: MIT

internal import TaplinePlugin

/// The findings of detectors in one text, unordered and possibly overlapping.
struct FindingList {
    private var all: [SecretFinding] = []

    mutating func removeAll() {
        all.removeAll(keepingCapacity: true)
    }

    mutating func append(_ finding: SecretFinding) {
        // Several at signs in one password, and forms that share a head, find the same start again.
        if let last = all.last, last.kind == finding.kind, last.start == finding.start {
            all[all.count - 1].end = max(last.end, finding.end)
        } else {
            all.append(finding)
        }
    }

    /// Appends the findings in order and without overlaps.
    ///
    /// Two overlapping findings are merged under the name of the longer one. An e-mail address or a
    /// number that overlaps with another kind of finding is treated as a coincidence and dropped.
    mutating func resolve(isWeak: [Bool], into findings: inout [SecretFinding]) {
        guard !all.isEmpty else { return }
        if all.count > 1 {
            all.sort { ($0.start, $1.end, $0.kind) < ($1.start, $0.end, $1.kind) }
        }
        let first = findings.count
        for finding in all {
            guard findings.count > first, let last = findings.last, finding.start < last.end else {
                findings.append(finding)
                continue
            }
            switch (isWeak[last.kind], isWeak[finding.kind]) {
            case (false, true): break
            case (true, false): findings[findings.count - 1] = finding
            default:
                let isLonger = finding.end - finding.start > last.end - last.start
                findings[findings.count - 1].end = max(last.end, finding.end)
                if isLonger { findings[findings.count - 1].kind = finding.kind }
            }
        }
    }
}
