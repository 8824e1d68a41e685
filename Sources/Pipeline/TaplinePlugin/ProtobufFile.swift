// SPDX-License-Identifier: MIT

package import TaplineConfig
package import TaplineProtobuf
internal import TaplineSystem

/// The reason why a file of descriptors is not usable.
package struct ProtobufFileError: Error, Sendable, CustomStringConvertible {
    /// What is wrong, without the name of the file.
    package let description: String
    /// What to do about it; `nil` if that is obvious.
    package let help: String?
}

extension ProtobufSchema {
    /// The maximum size of a file in bytes; a longer one is rejected.
    private static let maxFile = 64 << 20

    /// Reads a file of descriptors.
    ///
    /// - Throws: `ProtobufFileError`.
    package convenience init(path: String) throws(ProtobufFileError) {
        var bytes: [UInt8] = []
        do throws(FileError) {
            let file = try File(path, for: .read)
            while bytes.count <= Self.maxFile,
                try file.read(appendingTo: &bytes, atMost: 1 << 20) > 0
            {}
        } catch {
            let text = "cannot read the descriptors; \(error.reason)"
            throw ProtobufFileError(description: text, help: nil)
        }
        do throws(ProtobufError) {
            guard bytes.count <= Self.maxFile else { throw .tooLarge }
            try self.init(bytes.span)
        } catch {
            throw ProtobufFileError(
                description: "invalid descriptors: \(error); expected a FileDescriptorSet",
                help: "write one with 'protoc --include_imports --descriptor_set_out=FILE …'"
            )
        }
    }
}

extension BuildContext {
    /// Reads the file of descriptors that an option names.
    ///
    /// - Returns: The types of messages, those of the context if none is named; `nil` if there are
    ///   none, or if the file is not usable, which is reported.
    package mutating func descriptors(
        _ options: Options,
        _ key: ConfigKey<String?>
    ) -> ProtobufSchema? {
        guard let path = options[key] else { return protobufTypes }
        do throws(ProtobufFileError) {
            return try ProtobufSchema(path: path)
        } catch {
            let place = options.location(of: key) ?? location
            diagnostics.error(at: place, "\(error)", help: error.help)
            return nil
        }
    }
}
