// SPDX-License-Identifier: MIT

import TaplineFormats
import TaplineImport
import TaplineModel

/// What a reader makes of a file.
struct Imported: Equatable {
    private(set) var exchanges: [Exchange] = []
    private(set) var errors: [RecordError] = []
    /// Why reading ended early.
    private(set) var end: RecordError?
    let unread: LossReport
    let losses: LossReport
    let format: ImportFormat?

    /// Reads bytes in chunks.
    init(
        _ bytes: [UInt8],
        _ format: ImportFormat? = nil,
        chunk: Int = .max,
        maxRecordBytes: Int = 64 << 20
    ) {
        let options = ImportOptions(
            file: "f",
            fallbackStart: Timestamp(microseconds: 1_700_000_000_000_000),
            maxRecordBytes: maxRecordBytes
        )
        let reader = ImportReader(format, options: options)
        var elements: [ImportReader.Element] = []
        do {
            var start = 0
            while start < bytes.count {
                let end = chunk < bytes.count - start ? start + chunk : bytes.count
                try reader.read(bytes[start..<end].span) { elements.append($0) }
                start = end
            }
            try reader.finish { elements.append($0) }
        } catch {
            end = error as? RecordError
        }
        unread = reader.unread
        losses = reader.losses
        self.format = reader.format
        for element in elements {
            switch element {
            case .success(let exchange): exchanges.append(exchange)
            case .failure(let error): errors.append(error)
            }
        }
    }

    init(_ text: String, _ format: ImportFormat? = nil) {
        self.init(Array(text.utf8), format)
    }

    /// The errors as they are shown.
    var messages: [String] { (errors + [end].compactMap(\.self)).map(\.description) }

    /// The kinds of what could not be read.
    var unreadKinds: [String] { unread.losses.map { "\($0.count) \($0.field)" } }

    /// The kinds of what was lost.
    var lossKinds: [String] { losses.losses.map { "\($0.count) \($0.field)" } }
}

extension FieldSection {
    /// The fields as lines.
    var lines: [String] {
        indices.map { "\(ByteString(name(at: $0))): \(ByteString(value(at: $0)))" }
    }
}

extension Request {
    /// Method, URL, fields other than `Host` and `Accept: */*`, and content.
    var summary: String {
        let shown = fields.lines.filter { !$0.hasPrefix("Host: ") && $0 != "Accept: */*" }
        let content = String(decoding: body.bytes, as: UTF8.self)
        return (["\(method) \(url)"] + shown + (content.isEmpty ? [] : [content]))
            .joined(separator: " | ")
    }
}

/// A tagged netstring.
func tagged(_ content: [UInt8], _ tag: String) -> [UInt8] {
    Array("\(content.count):".utf8) + content + Array(tag.utf8)
}

func text(_ value: String) -> [UInt8] { tagged(Array(value.utf8), ";") }

func bytes(_ value: String) -> [UInt8] { tagged(Array(value.utf8), ",") }

func number(_ value: String) -> [UInt8] {
    tagged(Array(value.utf8), value.contains(".") ? "^" : "#")
}

func list(_ values: [UInt8]...) -> [UInt8] { tagged(Array(values.joined()), "]") }

func dictionary(_ members: KeyValuePairs<String, [UInt8]>) -> [UInt8] {
    tagged(members.flatMap { text($0.key) + $0.value }, "}")
}

let null = tagged([], "~")
let yes = tagged(Array("true".utf8), "!")
