// SPDX-License-Identifier: MIT

internal import TaplineSystem

/// What `tapline doctor` has found out about the machine and a pipeline, without a judgement.
struct DoctorFacts: Sendable {
    /// The pipeline; `nil` if none is given.
    var pipeline: Pipeline?
    /// The limits of descriptors; `nil` if unknown.
    var descriptors: DescriptorLimits?
    /// Now, in microseconds since 1970.
    var now: Int64 = 0
    /// Whether the clock follows a time server; `nil` if unknown.
    var isClockSynchronised: Bool?
    /// The memory that the group of the process may use, in bytes; `nil` if there is no limit.
    var memoryQuota: Int?
    /// The folders that are written to.
    var folders: [Folder] = []
    /// The certificate authorities.
    var authorities: [Authority] = []
    /// The addresses that are listened on.
    var ports: [Port] = []
    /// The files with keys and tokens.
    var keys: [KeyFile] = []

    /// What matters of a pipeline file.
    struct Pipeline: Sendable {
        /// The path of the file.
        let path: String
        /// Its permission bits; `nil` if it is no file.
        let permissions: UInt32?
        /// The options with a secret that the file itself holds.
        var literalSecrets: [String] = []
        /// The most clients of all proxies together; `nil` without a proxy.
        var maxConnections: Int?
        /// `runtime.memory`, in bytes.
        let memory: Int
    }

    /// A folder that is written to.
    struct Folder: Sendable {
        /// What a folder is.
        enum State: Sendable, Hashable {
            case missing
            /// Something else has this path.
            case notAFolder
            /// The reason why it cannot be written to.
            case notWritable(String)
            case writable
        }

        /// The path.
        let path: String
        /// What it is for, such as `sink 'ndjson'`.
        let use: String
        let state: State
        /// Its file system; `nil` if unknown.
        let space: FileSystemSpace?
        /// The bytes that may be written here at once, such as a spill's limit; 0 if unknown.
        var neededBytes = 0
        /// The file in it that cannot be written to, with the reason.
        var unwritableFile: String?
    }

    /// A certificate authority.
    struct Authority: Sendable {
        /// The absolute path of the folder.
        let folder: String
        /// Whether it is the user's own, which commands use without `--ca`.
        var isOwn = true
        let state: State

        /// What an authority is.
        enum State: Sendable, Hashable {
            /// It is created when it is needed.
            case missing
            /// The reason why it cannot be used, and what to do.
            case unusable(String, help: String?)
            /// Its validity in microseconds since 1970; `nil` for trust if it is unknown.
            case usable(notBefore: Int64, notAfter: Int64, isTrusted: Bool?)
        }
    }

    /// An address that is listened on.
    struct Port: Sendable {
        /// The address as it is written.
        let address: String
        /// Who listens there, such as `source 'proxy'`.
        let use: String
        let state: State

        /// What an address is.
        enum State: Sendable, Hashable {
            case free
            /// The process that has it; `nil` if the system does not tell.
            case taken(by: PortHolder?)
            /// The system does not permit it.
            case forbidden
            /// Another reason.
            case unusable(String)
        }
    }

    /// A file with a key or a token.
    struct KeyFile: Sendable {
        let path: String
        /// Its permission bits; `nil` if it is missing or cannot be read.
        let permissions: UInt32?
        /// The reason why it cannot be read.
        var problem: String?
    }
}
