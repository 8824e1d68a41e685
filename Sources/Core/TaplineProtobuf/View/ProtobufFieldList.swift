// SPDX-License-Identifier: MIT

/// The fields of a message by their numbers, in the order in which the numbers first occur.
struct ProtobufFieldList {
    /// The numbers that occur.
    private(set) var numbers: [Int] = []
    /// Why the rest of the message could not be read.
    private(set) var problem: ProtobufError?
    private var values: [Int: [ProtobufField]] = [:]

    /// Reads a message; the maximum number of fields is decreased by those that were read.
    init(_ bytes: Span<UInt8>, _ depth: Int, _ fieldsLeft: inout Int) {
        var reader = ProtobufReader(0..<bytes.count, maxDepth: depth)
        do throws(ProtobufError) {
            while fieldsLeft > 0, let field = try reader.next(in: bytes) {
                fieldsLeft -= 1
                if values[field.number] == nil { numbers.append(field.number) }
                values[field.number, default: []].append(field)
            }
        } catch {
            problem = ProtobufError(error.code, at: reader.position)
        }
    }

    /// The values of a number, in order.
    subscript(number: Int) -> [ProtobufField] { values[number] ?? [] }
}
