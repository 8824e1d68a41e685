// SPDX-License-Identifier: MIT

internal import TaplineCommandLine
internal import TaplineConfig
internal import TaplineLeaks
internal import TaplinePlugin
internal import TaplineSystem

/// The arguments of `tapline share`, read from the command line.
struct ShareArguments {
    static let presets = ["strict", "standard", "none"]
    /// The size of the file if none is given.
    private static let defaultBytes = 50 << 20

    let stores: StoreArguments
    /// The file to write.
    let output: String
    /// The preset of the redaction.
    let preset: String
    let maxBytes: Int
    /// What must not be left.
    let leaks: LeaksArguments?
    let passphrase: SharePassphrase?
    /// Whether all exchanges have to be in the file.
    let isStrict: Bool

    init(_ invocation: Invocation) throws {
        guard let output = invocation.value("out"), output != "-" else {
            throw UsageError(message: "'share' needs '--out FILE', such as traffic.html")
        }
        self.output = output
        stores = try StoreArguments(invocation)
        preset = invocation.value("preset") ?? "strict"
        maxBytes = try Self.maxBytes(invocation)
        isStrict = invocation.has("strict")
        passphrase = try SharePassphrase(invocation)
        let hasValues = invocation.has("value-file") || invocation.has("value-env")
        let isSearched = hasValues || invocation.value("detectors") != "off"
        leaks = isSearched ? try LeaksArguments(invocation) : nil
        if !invocation.has("force"), try FileSystem.status(of: output) != nil {
            throw UsageError(message: "'\(output)' exists; --force replaces it")
        }
    }

    private static func maxBytes(_ invocation: Invocation) throws(UsageError) -> Int {
        guard let text = invocation.value("max-bytes") else { return defaultBytes }
        guard let bytes = ByteSizeText.bytes(text) ?? Int(text), bytes > 0 else {
            throw UsageError(
                message: "wrong value of '--max-bytes'; found '\(text)', expected a size such as "
                    + "10MiB"
            )
        }
        return bytes
    }
}

/// Where the passphrase of a shared file comes from.
///
/// It is never an argument, which every user of the machine can read while the command runs.
enum SharePassphrase: Equatable {
    case terminal
    case file(String)

    /// The smallest number of bytes.
    static let minBytes = 8
    private static let maxBytes = 1024

    init?(_ invocation: Invocation) throws(UsageError) {
        switch (invocation.has("passphrase"), invocation.value("passphrase-file")) {
        case (true, .some):
            throw UsageError(message: "'--passphrase' excludes '--passphrase-file'")
        case (true, nil): self = .terminal
        case (false, .some(let path)): self = .file(path)
        case (false, nil): return nil
        }
    }

    /// Reads the passphrase.
    ///
    /// - Throws: `UsageError` if there is none, or if it is too short.
    func read() throws(UsageError) -> [UInt8] {
        let bytes: [UInt8]
        do throws(FileError) {
            switch self {
            case .terminal: bytes = try Self.typed()
            case .file(let path): bytes = try Self.firstLine(of: path)
            }
        } catch {
            throw UsageError(
                message: "cannot read the passphrase; \(error)",
                help: self == .terminal
                    ? "'--passphrase-file FILE' reads it from a file" : nil
            )
        }
        guard bytes.count >= Self.minBytes else {
            throw UsageError(
                message: "the passphrase has \(Counted.text(bytes.count, "byte")); expected at "
                    + "least \(Self.minBytes)"
            )
        }
        // Browsers take a passphrase as text.
        guard bytes.count < Self.maxBytes, let text = String(validating: bytes, as: UTF8.self)
        else {
            throw UsageError(message: "the passphrase is too long, or not UTF-8")
        }
        guard text.unicodeScalars.allSatisfy(Self.isTypeable) else {
            throw UsageError(
                message: "the passphrase has a control character or a byte order mark, which "
                    + "nobody can type"
            )
        }
        return bytes
    }

    /// Whether the field of the page takes a character as it is.
    private static func isTypeable(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator: false
        default: scalar != "\u{FEFF}"
        }
    }

    /// Asks twice, since nobody can read a file whose passphrase was mistyped.
    private static func typed() throws(FileError) -> [UInt8] {
        let input = try NoEchoInput()
        let signals = Signals(beforeEnding: { input.restore() })
        defer {
            input.restore()
            signals.end()
        }
        while true {
            let bytes = try input.ask("Passphrase: ", atMost: maxBytes)
            // A passphrase that is too short is reported by the caller.
            if bytes.count < minBytes { return bytes }
            if try input.ask("The same again: ", atMost: maxBytes) == bytes { return bytes }
            try input.say("These were different.")
        }
    }

    private static func firstLine(of path: String) throws(FileError) -> [UInt8] {
        let file = path == "-" ? File.standardInput : try File(path, for: .read)
        return try SecretFile.firstLine(of: file, atMost: maxBytes)
    }
}
