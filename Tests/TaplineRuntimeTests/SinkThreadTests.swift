// SPDX-License-Identifier: MIT

import Glibc
import Synchronization
import TaplineModel
import TaplinePlugin
import TaplineRuntime
import TaplineTesting
import Testing

/// The number of sink threads that have freed their thread-local storage.
private let endedThreads = Atomic<Int>(0)

/// A key whose destructor runs late at the end of a thread, as OpenSSL's does.
private let key: pthread_key_t = {
    var key = pthread_key_t()
    unsafe pthread_key_create(&key) { _ in
        usleep(50_000)
        endedThreads.add(1, ordering: .sequentiallyConsistent)
    }
    return key
}()

/// A sink that notes the thread on which it was opened, and may fail to open.
private struct MarkingSink: SinkFactory {
    let opens: Bool

    func open(_ context: SinkContext) throws -> any Sink {
        unsafe pthread_setspecific(key, UnsafeRawPointer(bitPattern: 1))
        guard opens else { throw SinkError(.refused, "never") }
        return try RecordingSink().open(context)
    }
}

@Suite("The threads of sinks")
struct SinkThreadTests {
    @Test("have ended, with their thread-local storage freed, when the pipeline has ended")
    func join() async {
        let before = endedThreads.load(ordering: .sequentiallyConsistent)
        for opens in [true, false] {
            let topology = Topology(
                sources: [Topology.Source(id: "s", ScriptedSource(Exchange.examples(3)))],
                sinks: [
                    Topology.Sink(id: "a", MarkingSink(opens: true)),
                    Topology.Sink(id: "b", MarkingSink(opens: opens)),
                ]
            )
            let pipeline = Pipeline(topology) { Timestamp(microseconds: 0) }
            _ = await pipeline.run()
        }
        #expect(endedThreads.load(ordering: .sequentiallyConsistent) - before == 4)
    }
}
