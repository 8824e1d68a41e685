// SPDX-License-Identifier: MIT

internal import TaplineModel

/// The parts of a request that name a server other than the one it is sent to.
struct HostMismatch: OptionSet {
    let rawValue: UInt8

    /// The Host field.
    static let host = HostMismatch(rawValue: 1)
    /// The target, in absolute-form.
    static let target = HostMismatch(rawValue: 2)
    /// The host that the client named in TLS.
    static let serverName = HostMismatch(rawValue: 4)

    /// Adds the tag to a record.
    ///
    /// It holds words only; Host, `original.url` and the TLS facts hold the names.
    func note(in tags: inout Tags) {
        guard !isEmpty else { return }
        let words = [(Self.host, "host"), (.target, "target"), (.serverName, "sni")]
        tags["tapline.host_mismatch"] =
            words.filter { contains($0.0) }.map(\.1).joined(separator: ", ")
    }
}
