// SPDX-License-Identifier: MIT

public import TaplineModel

/// An exchange under way with its context, for sources that fill it piece by piece.
///
/// Its memory is managed by hand because a request through `proxy` takes 43,360 instructions with it
/// and 48,440 with a plain class that has both as properties (Tests/Benchmarks/README.md): each
/// access to a class's property is checked for exclusive access, and to move a value out of one
/// another value has to be put in.
///
/// **Shape**: its owner lends both to the lane, and moves them out when the exchange ends. Later
/// readers see an empty exchange.
///
/// **Isolation**: one thread at a time. While one of them is lent it must not be used in another
/// way, as with any `inout`; hooks have no access to it.
@safe
@frozen
@usableFromInline
package struct HeldExchange: ~Copyable {
    @usableFromInline let heldExchange: UnsafeMutablePointer<Exchange>
    @usableFromInline let heldContext: UnsafeMutablePointer<ExchangeContext>
    /// Whether there is nothing in their memory, since they were taken.
    @usableFromInline let areTaken: UnsafeMutablePointer<Bool>

    /// Holds an exchange that begins, in a new context or in that in which it was opened.
    @inlinable
    package init(
        _ exchange: consuming Exchange,
        _ context: consuming ExchangeContext = ExchangeContext()
    ) {
        let (first, second) = (MemoryLayout<Exchange>.self, MemoryLayout<ExchangeContext>.self)
        // One block for all of them, the most aligned one first.
        let memory = UnsafeMutableRawPointer.allocate(
            byteCount: first.stride + second.stride + 1,
            alignment: first.alignment
        )
        unsafe heldExchange = memory.initializeMemory(as: Exchange.self, to: exchange)
        unsafe heldContext = (memory + first.stride)
            .initializeMemory(as: ExchangeContext.self, to: context)
        unsafe areTaken = (memory + first.stride + second.stride)
            .initializeMemory(as: Bool.self, to: false)
    }

    @inlinable
    deinit {
        if unsafe !areTaken.pointee {
            unsafe heldExchange.deinitialize(count: 1)
            unsafe heldContext.deinitialize(count: 1)
        }
        unsafe UnsafeMutableRawPointer(heldExchange).deallocate()
    }

    /// The exchange, where it lies.
    @inlinable
    package var exchange: Exchange {
        unsafeAddress {
            refillIfTaken()
            return unsafe UnsafePointer(heldExchange)
        }
        nonmutating unsafeMutableAddress {
            refillIfTaken()
            return unsafe heldExchange
        }
    }

    /// The context, where it lies.
    @inlinable
    package var context: ExchangeContext {
        unsafeAddress {
            refillIfTaken()
            return unsafe UnsafePointer(heldContext)
        }
        nonmutating unsafeMutableAddress {
            refillIfTaken()
            return unsafe heldContext
        }
    }

    /// Moves both out, when the exchange has ended.
    @inlinable
    package func take<Result>(
        _ body: (consuming Exchange, consuming ExchangeContext) -> Result
    ) -> Result {
        refillIfTaken()
        unsafe areTaken.pointee = true
        return unsafe body(heldExchange.move(), heldContext.move())
    }

    /// Puts an empty exchange into the memory from which all was moved out.
    @inlinable
    @inline(__always)
    func refillIfTaken() {
        if unsafe areTaken.pointee { refill() }
    }

    @usableFromInline
    @inline(never)
    func refill() {
        unsafe heldExchange.initialize(to: Exchange(id: ExchangeID(high: 0, low: 0)))
        unsafe heldContext.initialize(to: ExchangeContext())
        unsafe areTaken.pointee = false
    }
}
