// SPDX-License-Identifier: MIT

internal import Synchronization
package import TaplineNet

/// The names that programs have looked up, by their addresses.
///
/// Each address has the last few of its names. The oldest addresses are forgotten.
///
/// **Isolation**: any thread.
package final class NameMemory: Sendable {
    private struct State {
        /// The names of each address; the one that was looked up last is the last one.
        var names: [IPAddress: [String]] = [:]
        /// The addresses in the order in which they were first remembered.
        var order: [IPAddress] = []
        /// The position in `order` of the address to be forgotten next.
        var oldest = 0
    }

    /// How many names of an address are kept.
    private static let maxNames = 4

    private let limit: Int
    private let state = Mutex(State())

    /// Makes an empty memory for a number of addresses.
    package init(limit: Int = 4096) { self.limit = max(limit, 1) }

    /// Remembers a name of addresses.
    package func remember(_ name: String, at addresses: [IPAddress]) {
        state.withLock { state in
            for address in addresses {
                if var names = state.names[address] {
                    names.removeAll { $0 == name }
                    state.names[address] = names.suffix(Self.maxNames - 1) + [name]
                    continue
                }
                state.names[address] = [name]
                if state.order.count < limit {
                    state.order.append(address)
                } else {
                    state.names[state.order[state.oldest]] = nil
                    state.order[state.oldest] = address
                    state.oldest = (state.oldest + 1) % limit
                }
            }
        }
    }

    /// Returns the last names of an address that were looked up.
    package func names(of address: IPAddress) -> [String] {
        state.withLock { $0.names[address] ?? [] }
    }
}
