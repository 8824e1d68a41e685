// SPDX-License-Identifier: MIT

internal import TaplineJSON
internal import TaplineModel

/// Why no recording answers a request: the nearest recorded requests, and what differs.
package struct MissExplanation: Sendable, Equatable {
    /// A recorded request that is near.
    package struct Nearest: Sendable, Equatable {
        package let method: String
        package let url: String
        package let differences: [Difference]

        /// How different it is.
        var weight: Int { differences.reduce(0) { $0 + $1.weight } }

        /// - Parameters:
        ///   - recorded: The recorded request.
        ///   - differences: What differs.
        ///   - live: The request, if paths that differ in one segment are shown as that segment.
        init(_ recorded: RequestParts, _ differences: [Difference], beside live: RequestParts?) {
            method = recorded.method
            url = recorded.url
            self.differences = differences.map { difference in
                live.map { difference.inSegments(recorded.path, $0.path) } ?? difference
            }
        }
    }

    /// How many recorded requests are shown.
    private static let shownNearest = 3
    /// How many differences of a recorded request are shown.
    private static let shownDifferences = 5
    /// How long a name in the log may be.
    private static let maxName = 60

    package let method: String
    package let url: String
    /// How often the request was recorded, if all recordings have been used.
    package let recordedTimes: Int?
    package let nearest: [Nearest]

    /// Creates an explanation.
    ///
    /// - Parameters:
    ///   - live: The request.
    ///   - answer: The answer, which is not a recording.
    ///   - nearest: The recorded requests that are near, the nearest ones first.
    ///   - url: The URL of the request as it is shown; by default as it came.
    init(
        _ live: LiveRequest,
        _ answer: RecordedAnswers.Answer,
        _ nearest: [Nearest],
        url: String? = nil
    ) {
        method = live.clean.method
        self.url = url ?? live.clean.url
        if case .usedUp(let count) = answer { recordedTimes = count } else { recordedTimes = nil }
        self.nearest = Array(nearest.prefix(Self.shownNearest))
    }

    private var reason: String {
        switch recordedTimes {
        case nil: "no recording answers this request"
        case 1: "this request was recorded once, and that recording has been used"
        case let count?: "this request was recorded \(count) times, and all have been used"
        }
    }

    /// The explanation for the client, with values.
    package var text: String {
        let text = "\(reason):\n  \(method) \(url)\n"
        return recordedTimes == nil ? text + nearestText() : text
    }

    /// The nearest recorded requests and what differs, as lines.
    ///
    /// - Parameter limit: How many of them are shown.
    /// - Returns: The lines.
    package func nearestText(limit: Int = .max) -> String {
        let shown = nearest.prefix(limit)
        var text =
            switch shown.count {
            case 0: "there are no recordings\n"
            case 1: "nearest recorded request:\n"
            default: "nearest recorded requests:\n"
            }
        for near in shown {
            text += "  \(near.method) \(near.url)\n"
            for difference in near.differences.prefix(Self.shownDifferences) {
                text += "    \(difference.text)\n"
            }
            let more = near.differences.count - Self.shownDifferences
            if more > 0 { text += "    and \(more) more\n" }
        }
        return text
    }

    /// The explanation for the log and for what commands print, without values.
    ///
    /// Names that only one of the requests has are not in it: they may be values, such as that of a
    /// query without `=`.
    package var summary: String {
        guard recordedTimes == nil else { return "a request has used up its recordings" }
        guard let first = nearest.first else {
            return "no recording answers a request: there are none"
        }
        var parts: [String] = []
        for difference in first.differences.prefix(Self.shownDifferences) {
            let name = difference.shownPart
            let part = name.count <= Self.maxName ? name : "\(name.prefix(Self.maxName))…"
            if !parts.contains(part) { parts.append(part) }
        }
        let text = parts.isEmpty ? "nothing that is compared" : parts.joined(separator: ", ")
        return "no recording answers a request; the nearest one differs in \(text)"
    }

    /// The explanation for a client that prefers JSON, with values.
    package var json: [UInt8] {
        var writer = JSONWriter()
        writer.object { writer in
            writer.member("error", recordedTimes == nil ? "no_recording" : "recordings_used_up")
            writer.member("message", reason)
            writer.key("request")
            writer.object { writer in
                writer.member("method", method)
                writer.member("url", url)
            }
            writer.key("nearest")
            writer.array { writer in
                for near in nearest {
                    writer.object { writer in
                        writer.member("method", near.method)
                        writer.member("url", near.url)
                        writer.key("differences")
                        writer.array { writer in
                            for difference in near.differences {
                                writer.object { writer in
                                    writer.member("part", difference.part)
                                    writer.member("recorded", difference.recorded)
                                    writer.member("found", difference.found)
                                }
                            }
                        }
                    }
                }
            }
        }
        return Array(copying: writer.bytes)
    }
}

extension Difference {
    /// The part, without its name if only one of the requests has it.
    ///
    /// Values are in quotes, so that none equals `nothing`.
    fileprivate var shownPart: String {
        guard recorded == "nothing" || found == "nothing" else { return part }
        let word = recorded == "nothing" ? "another" : "a missing"
        for kind in ["query item", "form field"] where part.hasPrefix("\(kind) '") {
            return "\(word) \(kind)"
        }
        return part.hasPrefix("body ") ? "\(word) member of the body" : part
    }

    /// The difference of two paths as that of their segments, if only one differs.
    fileprivate func inSegments(_ recorded: String, _ found: String) -> Difference {
        guard part == "path" else { return self }
        let left = recorded.split(separator: "/", omittingEmptySubsequences: false)
        let right = found.split(separator: "/", omittingEmptySubsequences: false)
        guard left.count == right.count else { return self }
        let positions = left.indices.filter { left[$0] != right[$0] }
        guard positions.count == 1, let position = positions.first else { return self }
        return Difference(
            "path segment \(position)",
            recorded: String(left[position]),
            found: String(right[position]),
            weight: weight
        )
    }
}
