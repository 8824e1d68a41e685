// SPDX-License-Identifier: MIT

internal import TaplineFormats
internal import TaplineJSON
internal import TaplineModel
internal import TaplinePlugin
internal import TaplineProcessPlugin

/// The stage `process` in one lane, with `mode: record`.
///
/// The lane goes on while the program decides. A record whose call fails is dropped, since the
/// program may have changed only a part of it.
final class ProcessRecordStage: RecordStage {
    private let connection: ProcessConnection
    private let mayWait: Bool
    private let stopDeadline: StopDeadline
    private let endingThreads: EndingThreads?
    private var json = JSONWriter(capacity: 16_384)

    init(_ connection: ProcessConnection, _ context: StageContext) {
        self.connection = connection
        mayWait = context.mayWait
        stopDeadline = context.stopDeadline
        endingThreads = context.endingThreads
    }

    func start() throws { try connection.open() }

    func stop() { connection.close(leavingTo: endingThreads) }

    func record(
        _ exchange: inout Exchange,
        _ context: inout ExchangeContext
    ) throws -> RecordVerdict {
        // A copy that is only shown: the program would count it twice.
        guard !context.isPreview else { return .drop(reason: "preview") }
        let number = connection.number()
        json.removeAll()
        json.beginObject()
        json.key("n")
        json.integer(number)
        json.key("record")
        json.exchange(exchange)
        json.endObject()
        json.separator(0x0A)
        let line = Array(copying: json.bytes)
        let pending = PendingVerdict(memory: line.count)
        try connection.call(number, line, mayWait: mayWait, until: stopDeadline) { result in
            pending.settle(Self.verdict(result))
        }
        return .pending(pending)
    }

    private static func verdict(
        _ result: Result<ChildLine.Answer, ProcessPluginError>
    ) -> PendingVerdict.Answer {
        switch result {
        case .success(.keep): .verdict(.keep)
        case .success(.drop(let reason)): .verdict(.drop(reason: reason))
        case .success(.record(let exchange)): .replace(exchange)
        case .success:
            .failed(ProcessPluginError("wrong answer; expected keep, drop, record or error"))
        case .failure(let error): .failed(error)
        }
    }
}
