// SPDX-License-Identifier: MIT

internal import TaplineCertificates
internal import TaplineCommandLine
internal import TaplineModel
internal import TaplineNet
internal import TaplineOperations
internal import TaplinePlugin
internal import TaplineRuntime
internal import TaplineSystem

/// Gathers the facts of `tapline doctor`; it writes nothing, and listens at addresses for a moment
/// to see if they are free.
struct DoctorCollector {
    let invocation: Invocation

    /// The facts of the machine, and of a pipeline if there is one.
    func facts(of pipeline: DoctorPipeline?) -> DoctorFacts {
        var facts = DoctorFacts()
        facts.descriptors = .current
        facts.now = WallClock.microseconds
        facts.isClockSynchronised = ClockSynchronisation.isSynchronised
        facts.memoryQuota = MemoryQuota.bytes
        facts.pipeline = pipeline?.facts(invocation)
        facts.folders = folders(of: pipeline)
        let folders = pipeline?.authorityFolders(invocation) ?? [nil]
        facts.authorities = folders.compactMap(authority)
        if let pipeline {
            facts.ports = ports(of: pipeline.topology)
            facts.keys = keys(of: pipeline.topology, besides: facts.authorities.map(\.folder))
        }
        return facts
    }

    // MARK: Folders

    private func folders(of pipeline: DoctorPipeline?) -> [DoctorFacts.Folder] {
        var folders: [DoctorFacts.Folder] = []
        for sink in pipeline?.topology.sinks ?? [] {
            for case .file(let path) in sink.factory.claims {
                let folder = FileSystem.folder(of: path)
                folders.append(self.folder(folder, for: "sink '\(sink.id)'", file: path))
            }
        }
        let spilled = (pipeline?.topology.sinks ?? []).reduce(0) { sum, sink in
            guard sink.queue.overflow == .block, sink.queue.disk == nil else { return sum }
            let (total, overflow) = sum.addingReportingOverflow(sink.queue.spillMaxBytes)
            return overflow ? .max : total
        }
        if pipeline == nil || spilled > 0 {
            let path = pipeline?.topology.spillFolder ?? FileSystem.spillFolder
            var folder = folder(path, for: "spilled records")
            folder.neededBytes = spilled
            folders.append(folder)
        }
        // systemd.exec(5) separates several folders by colons.
        let states = (invocation.environment["STATE_DIRECTORY"] ?? "").split(separator: ":")
        return folders + states.map { folder(String($0), for: "the state of the service") }
    }

    private func folder(
        _ path: String,
        for use: String,
        file: String? = nil
    ) -> DoctorFacts.Folder {
        var folder = DoctorFacts.Folder(
            path: path,
            use: use,
            state: state(ofFolder: path),
            space: FileSystemSpace(of: path)
        )
        guard let file, folder.state == .writable else { return folder }
        do throws(FileError) {
            // Pipes and devices are opened by the sink, which waits for them or says what is wrong.
            if try FileSystem.status(of: file)?.kind == .regular {
                try FileSystem.check(file, for: .write)
            }
        } catch {
            folder.unwritableFile = "\(error)"
        }
        return folder
    }

    private func state(ofFolder path: String) -> DoctorFacts.Folder.State {
        do throws(FileError) {
            guard let status = try FileSystem.status(of: path) else { return .missing }
            guard status.kind == .folder else { return .notAFolder }
            try FileSystem.check(path, for: .write)
            return .writable
        } catch {
            return .notWritable(error.reason)
        }
    }

    // MARK: Authorities

    /// Inspects an authority; `nil` if no source of the command has one.
    private func authority(_ chosen: String?) -> DoctorFacts.Authority? {
        guard let tools = invocation.registry.sources.compactMap(\.certificates).first else {
            return nil
        }
        let folder = (chosen ?? ownAuthority).map { FileSystem.absolute($0) }
        let isOwn = chosen == nil
        if let folder, isMissing("\(folder)/root.pem") {
            return DoctorFacts.Authority(folder: folder, isOwn: isOwn, state: .missing)
        }
        let place = AuthorityLocation(folder: chosen, environment: invocation.environment)
        do throws(CertificateError) {
            let opened = try tools.open(place, false)
            let state = DoctorFacts.Authority.State.usable(
                notBefore: opened.root.notBefore.microseconds,
                notAfter: opened.root.notAfter.microseconds,
                isTrusted: try? opened.isTrustedBySystem()
            )
            return DoctorFacts.Authority(folder: opened.root.folder, isOwn: isOwn, state: state)
        } catch {
            return DoctorFacts.Authority(
                folder: folder ?? "of the user",
                isOwn: isOwn,
                state: .unusable(error.message, help: error.help)
            )
        }
    }

    /// Whether there is no such file; `false` if the system does not say.
    private func isMissing(_ path: String) -> Bool {
        do throws(FileError) {
            return try FileSystem.status(of: path) == nil
        } catch {
            return false
        }
    }

    /// The user's own authority (XDG Base Directory Specification).
    private var ownAuthority: String? {
        if let data = invocation.environment["XDG_DATA_HOME"], data.hasPrefix("/") {
            return "\(data)/tapline/ca"
        }
        guard let home = invocation.environment["HOME"], home.hasPrefix("/") else { return nil }
        return "\(home)/.local/share/tapline/ca"
    }

    // MARK: Ports

    private func ports(of topology: Topology) -> [DoctorFacts.Port] {
        var ports: [DoctorFacts.Port] = []
        for source in topology.sources {
            for case .port(let text) in source.source.claims {
                guard let address = SocketAddress(text) else { continue }
                ports.append(port(address, for: "source '\(source.id)'"))
            }
        }
        if case .loopback(let host, let number)? = topology.control, number != 0,
            let address = SocketAddress("\(host):\(number)")
        {
            ports.append(port(address, for: "runtime.control"))
        }
        return ports
    }

    private func port(_ address: SocketAddress, for use: String) -> DoctorFacts.Port {
        let state: DoctorFacts.Port.State
        do throws(NetError) {
            _ = try BoundAddress(address, backlog: 1)
            state = .free
        } catch {
            switch error.code {
            case .addressInUse: state = .taken(by: PortHolder.find(port: address.port))
            case .permissionDenied: state = .forbidden
            default: state = .unusable(error.message)
            }
        }
        return DoctorFacts.Port(address: "\(address)", use: use, state: state)
    }

    // MARK: Keys

    /// The key and token files that the pipeline names.
    private func keys(
        of topology: Topology,
        besides authorities: [String]
    ) -> [DoctorFacts.KeyFile] {
        let own = ownAuthority.map { FileSystem.folder(of: $0) }
        let records = Set(topology.recordPaths)
        return topology.protectedPaths.filter { !records.contains($0) }.compactMap { path in
            guard path != own, !authorities.contains(FileSystem.absolute(path)) else { return nil }
            do throws(FileError) {
                let status = try FileSystem.status(of: path)
                guard status?.kind != .folder else { return nil }
                if status != nil { try FileSystem.check(path, for: .read) }
                return DoctorFacts.KeyFile(path: path, permissions: status?.permissions)
            } catch {
                return DoctorFacts.KeyFile(path: path, permissions: nil, problem: error.reason)
            }
        }
    }
}
