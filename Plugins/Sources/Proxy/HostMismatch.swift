// SPDX-License-Identifier: MIT

internal import TaplineModel

/// The parts of a request that name another server than the one that it goes to.
struct HostMismatch: OptionSet {
    let rawValue: UInt8

    /// The Host field.
    static let host = HostMismatch(rawValue: 1)
    /// The target, in absolute-form.
    static let target = HostMismatch(rawValue: 2)
    /// The host that the client has named in TLS.
    static let serverName = HostMismatch(rawValue: 4)

    /// Notes it in a record; words alone, since Host, `original.url` and the facts of TLS have the names.
    func note(in tags: inout Tags) {
        guard !isEmpty else { return }
        let words = [(Self.host, "host"), (.target, "target"), (.serverName, "sni")]
        tags["tapline.host_mismatch"] =
            words.filter { contains($0.0) }.map(\.1).joined(separator: ", ")
    }
}
