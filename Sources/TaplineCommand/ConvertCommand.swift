// SPDX-License-Identifier: MIT

internal import TaplineConfig
internal import TaplineFiles
internal import TaplineFormats

/// `tapline convert IN OUT`.
enum ConvertCommand {
    static func run(_ invocation: Invocation) async -> ExitCode {
        let input = invocation.operands[0]
        let output = invocation.operands[1]
        let console = invocation.console
        guard let format = OutputFormat(path: output) else {
            console.note(
                "tapline: error: unknown format of '\(output)'; expected a name that ends in "
                    + OutputFormat.suffixes.joined(separator: ", ")
            )
            return .usage
        }
        do {
            if !invocation.has("force"), try FileSystem.status(of: output) != nil {
                console.note("tapline: error: '\(output)' exists; --force replaces it")
                return .usage
            }
            var conversion = try Conversion(
                from: input,
                to: output,
                format,
                skipsBadRecords: invocation.value("bad-records") == "skip"
            ) { console.note("warning: \($0)") }
            try conversion.run()
            console.note(conversion.report)
            return .success
        } catch {
            console.note("tapline: error: \(error)")
            return .failure
        }
    }
}

/// The formats that are written, by the suffix of the file.
struct OutputFormat {
    /// What a name may end in.
    static let suffixes = [".ndjson", ".ndjson.gz", ".ndjson.zst", ".har", ".har.gz", ".har.zst"]

    let isHAR: Bool
    /// `gz`, `zst` or nothing.
    let compression: String?

    /// The format that the suffix of a path names.
    init?(path: String) {
        var name = FileSystem.name(of: path)[...]
        let compression = ["gz", "zst"].first { name.hasSuffix(".\($0)") }
        if let compression { name = name.dropLast(compression.count + 1) }
        guard name.hasSuffix(".har") || name.hasSuffix(".ndjson") || name.hasSuffix(".jsonl") else {
            return nil
        }
        isHAR = name.hasSuffix(".har")
        self.compression = compression
    }
}
