// SPDX-License-Identifier: MIT

internal import TaplineCommandLine
internal import TaplineConfig
internal import TaplineModel

/// The file to which `tapline mock --record-to` appends what servers answer.
struct MockOutput {
    /// The id of the sink.
    private static let id = "recorded"
    /// The exchanges with servers that are answers from then on.
    private static let filter = #"tag["tapline.answer"] == "recorded""#

    private let sink: AddedSink

    /// Returns the file that the command line names; `nil` if it names none.
    init?(_ invocation: Invocation) throws(UsageError) {
        guard let path = invocation.value("record-to") else { return nil }
        if let policy = invocation.value("on-miss"), policy != "record" {
            throw UsageError(
                message: "'--record-to' cannot be combined with '--on-miss \(policy)'"
            )
        }
        sink = AddedSink(path: path, id: Self.id, condition: Self.filter)
        guard sink.isKnown else {
            throw UsageError(
                message: "wrong value of '--record-to'; found '\(path)', expected a file "
                    + AddedSink.suffixes
            )
        }
    }

    /// Adds a sink for the file to a pipeline.
    func adapt(_ root: ConfigNode) -> ConfigNode {
        let sinks = ConfigNode.generated(list: [sink.node(of: "--record-to")])
        return root.addingSinks(of: .generated(mapping: [("sinks", sinks)]))
    }
}
