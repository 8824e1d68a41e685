// SPDX-License-Identifier: MIT

internal import Synchronization
package import TaplineNet

/// The names that programs have looked up, by their addresses.
///
/// If several names have an address, the last one that was looked up counts. The oldest addresses
/// are forgotten.
///
/// **Isolation**: any thread.
package final class NameMemory: Sendable {
    private struct State {
        var names: [IPAddress: String] = [:]
        /// The addresses in the order in which they were first remembered.
        var order: [IPAddress] = []
        /// The position in `order` of the address to be forgotten next.
        var oldest = 0
    }

    private let limit: Int
    private let state = Mutex(State())

    /// Makes an empty memory for a number of addresses.
    package init(limit: Int = 4096) { self.limit = max(limit, 1) }

    /// Remembers a name of addresses.
    package func remember(_ name: String, at addresses: [IPAddress]) {
        state.withLock { state in
            for address in addresses where state.names.updateValue(name, forKey: address) == nil {
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

    /// Returns the name of an address; `nil` if none was looked up.
    package func name(of address: IPAddress) -> String? {
        state.withLock { $0.names[address] }
    }
}
