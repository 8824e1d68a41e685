// SPDX-License-Identifier: MIT

internal import TaplinePlugin
package import TaplineProtobuf

/// The file of `--descriptors`.
package enum Descriptors {
    /// Reads a `FileDescriptorSet`; returns `nil` if none is given.
    package static func read(_ invocation: Invocation) throws(UsageError) -> ProtobufSchema? {
        guard let path = invocation.value(CommonOptions.descriptors.name) else { return nil }
        do throws(ProtobufFileError) {
            return try ProtobufSchema(path: path)
        } catch {
            throw UsageError(message: "'\(path)': \(error)", help: error.help)
        }
    }
}
