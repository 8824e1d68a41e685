// SPDX-License-Identifier: MIT

internal import TaplineConfig
internal import TaplinePlugin
internal import TaplineProtobuf
internal import TaplineSystem

/// The file of descriptors that the options name.
enum RedactDescriptors {
    /// The maximum size of the file in bytes; a longer one is rejected.
    private static let maximum = 64 << 20

    /// Reads the file; returns `nil` if none is named or it cannot be read.
    static func read(_ options: Options, _ context: inout BuildContext) -> ProtobufSchema? {
        guard let path = options[RedactOptions.descriptors] else { return nil }
        let place = options.location(of: RedactOptions.descriptors) ?? context.location
        var bytes: [UInt8] = []
        do throws(FileError) {
            let file = try File(path, for: .read)
            while bytes.count <= maximum, try file.read(appendingTo: &bytes, atMost: 1 << 20) > 0 {}
        } catch {
            context.diagnostics.error(at: place, "cannot read the descriptors; \(error.reason)")
            return nil
        }
        do throws(ProtobufError) {
            guard bytes.count <= maximum else { throw .tooLarge }
            return try ProtobufSchema(bytes.span)
        } catch {
            context.diagnostics.error(
                at: place,
                "invalid descriptors: \(error); expected a FileDescriptorSet",
                help: "write one with 'protoc --include_imports --descriptor_set_out=FILE …'"
            )
            return nil
        }
    }
}
