// SPDX-License-Identifier: MIT

internal import TaplineProtobuf
internal import TaplineSystem

/// The file of `--descriptors`.
enum Descriptors {
    /// The maximum size of the file in bytes.
    private static let maximum = 64 << 20

    /// Reads a `FileDescriptorSet`.
    static func read(_ path: String) throws -> ProtobufSchema {
        var bytes: [UInt8] = []
        let file = try File(path, for: .read)
        while bytes.count <= maximum, try file.read(appendingTo: &bytes, atMost: 1 << 20) > 0 {}
        do throws(ProtobufError) {
            guard bytes.count <= maximum else { throw .tooLarge }
            return try ProtobufSchema(bytes.span)
        } catch {
            throw ShowError(
                description: "'\(path)' is not a FileDescriptorSet: \(error); write one with "
                    + "'protoc --include_imports --descriptor_set_out=FILE'"
            )
        }
    }
}
