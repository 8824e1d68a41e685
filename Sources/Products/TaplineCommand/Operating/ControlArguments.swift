// SPDX-License-Identifier: MIT

internal import TaplineCommandLine
internal import TaplineConfig
internal import TaplineControl
internal import TaplineOperations
internal import TaplineSystem

/// Which running pipeline a command asks, and with which token.
struct ControlArguments {
    /// The variable that has the address.
    static let variable = "TAPLINE_CONTROL"

    /// The options of all commands that ask a running pipeline.
    static let options = [
        OptionDeclaration(
            name: "control",
            value: "ADDRESS",
            summary: "Where it listens: 127.0.0.1:PORT or unix:/PATH; the default is in "
                + "\(variable)."
        ),
        OptionDeclaration(
            name: "config",
            value: "FILE",
            summary: "Take the address from the 'runtime' of this pipeline file."
        ),
    ]

    /// The option of commands that change something.
    static let tokenFile = OptionDeclaration(
        name: "token-file",
        value: "FILE",
        summary: "The token, if it is neither in \(ControlToken.variable) nor generated."
    )

    /// The listener.
    let address: ControlAddress
    /// The token file that the pipeline file names; `nil` if there is none.
    private let configured: String?
    private let invocation: Invocation

    /// Reads the options.
    ///
    /// - Throws: `UsageError` if there is no address, or if it is wrong.
    init(_ invocation: Invocation) throws(UsageError) {
        self.invocation = invocation
        if let text = invocation.value("control") {
            address = try Self.address(text, "--control")
            configured = nil
        } else if let file = invocation.value("config") {
            (address, configured) = try Self.read(file, invocation)
        } else if let text = invocation.environment[Self.variable], !text.isEmpty {
            address = try Self.address(text, Self.variable)
            configured = nil
        } else {
            throw UsageError(
                message: "no pipeline given; '--control' is missing",
                help: "add '--control 127.0.0.1:PORT', or '--config FILE', or set \(Self.variable)"
            )
        }
    }

    /// A client with the token, if there is one.
    func client(changes: Bool = false) throws(UsageError) -> ControlClient {
        guard changes else { return ControlClient(address) }
        do {
            let token = try ControlToken.find(
                for: address,
                file: invocation.value("token-file") ?? configured,
                variable: invocation.controlToken
            )
            return ControlClient(address, token: token)
        } catch {
            throw UsageError(message: "cannot read the token; \(error)")
        }
    }

    private static func address(
        _ text: String,
        _ name: String
    ) throws(UsageError) -> ControlAddress {
        guard let address = ControlAddress(text) else {
            throw UsageError(
                message: "wrong value of '\(name)'; found '\(text)', expected "
                    + ControlAddress.form
            )
        }
        return address
    }

    /// The address and the token file of a pipeline file, whose other parts are not looked at.
    private static func read(
        _ file: String,
        _ invocation: Invocation
    ) throws(UsageError) -> (ControlAddress, String?) {
        let bytes: [UInt8]
        do throws(FileError) {
            bytes = try InputFile.read(file)
        } catch {
            throw UsageError(message: "\(error)")
        }
        let folder = FileSystem.folder(of: file)
        let source = ConfigSource(name: file, bytes: bytes, folder: folder)
        var diagnostics = Diagnostics()
        let runtime = ConfigReader().read(source, into: &diagnostics)?["runtime"]
        guard let text = runtime?["control"]?.text else {
            throw UsageError(
                message: "'\(file)' has no 'control' under 'runtime'",
                help: "add 'runtime: { control: 127.0.0.1:9901 }'"
            )
        }
        let token = runtime?["control_token_file"]?.text.map { path in
            path.hasPrefix("/") ? path : "\(folder)/\(path)"
        }
        return (try address(text, "control"), token)
    }
}
