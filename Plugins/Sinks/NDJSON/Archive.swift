// SPDX-License-Identifier: MIT

import Dispatch
import TaplineCodings
import TaplineModel
import TaplinePlugin
import TaplineSystem

/// Compresses and removes finished files on a thread of its own, so that writing never waits for
/// it.
///
/// Each round lists the folder and does all pending work, including that of earlier runs: it
/// removes files that exceed `keep`, compresses the rest and removes partially compressed files
/// that a crash left.
final class Archive: Sendable {
    private let template: NameTemplate
    private let rotation: Rotation
    private let log: Log
    private let queue: DispatchQueue
    private let rounds = DispatchGroup()

    init(_ template: NameTemplate, _ rotation: Rotation, log: Log) {
        self.template = template
        self.rotation = rotation
        self.log = log
        queue = DispatchQueue(label: "tapline.archive.\(log.component)", qos: .utility)
    }

    /// Starts a round after the previous one has ended.
    func cleanUp() {
        guard rotation.needsCleanup else { return }
        queue.async(group: rounds) { self.round() }
    }

    /// Waits until all rounds have ended.
    func wait() { rounds.wait() }

    private func round() {
        do {
            var files = try look()
            if let keep = rotation.keep, files.count > keep {
                for file in files.prefix(files.count - keep) {
                    attempt { if try file.remove() { log.debug("removed '\(file.path)'") } }
                }
                files.removeFirst(files.count - keep)
            }
            guard let coding = rotation.coding else { return }
            for file in files where file.isPlain {
                attempt {
                    if try file.compress(coding) { log.debug("compressed '\(file.path)'") }
                }
            }
        } catch {
            log.warning("cannot compress or remove finished files: \(error)")
        }
    }

    private func attempt(_ action: () throws -> Void) {
        do { try action() } catch { log.warning("\(error)") }
    }

    /// The finished files, oldest first, without files that are being written.
    private func look() throws -> [FinishedFile] {
        var found: [String: FinishedFile] = [:]
        for name in try FileSystem.names(in: template.folder) {
            if clearedAway(name) { continue }
            let plain = FinishedFile.plainName(name)
            guard let match = template.match(plain) else { continue }
            let path = template.folder(with: plain)
            // Without a date and a counter, the file with the template's own name is always in use.
            guard match.isArchive || template.hasCounter || template.hasDate else { continue }
            var file = found[plain] ?? FinishedFile(path: path, match: match)
            if name == plain {
                file.isPlain = true
            } else if let coding = FinishedFile.allCodings.first(where: {
                name.hasSuffix($0.suffix)
            }) {
                file.codings.append(coding)
            }
            found[plain] = file
        }
        return try found.values
            .filter { file in
                guard file.isPlain else { return true }
                return try File(file.path, for: .read).lock()
            }
            .sorted { $0.match < $1.match }
    }

    /// Removes a partially compressed file that a crash left; returns whether the name is of such a
    /// file.
    private func clearedAway(_ name: String) -> Bool {
        guard name.hasSuffix(FinishedFile.temporary) else { return false }
        let compressed = String(name.dropLast(FinishedFile.temporary.count))
        let plain = FinishedFile.plainName(compressed)
        guard plain != compressed, template.match(plain) != nil else { return false }
        attempt {
            let path = template.folder(with: name)
            if try File(path, for: .read).lock() { try FileSystem.remove(path) }
        }
        return true
    }
}
