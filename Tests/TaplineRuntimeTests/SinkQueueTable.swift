// SPDX-License-Identifier: MIT

extension SinkQueueTableTests {
    /// The name and description of each state, followed by its events.
    ///
    /// Each event is listed with its effects and with the new state if that differs.
    static let expected = """
        asleep: asleep
          submit 10: wake => ready, 10 queued
          submit 10 live: wake => ready, 10 queued
          opened: wake => ready
          ended: wake => ready
          close: wake => ready, closing
          flush: wake => ready
          reopen: wake => ready
          abandon: wake => ready, abandoned
          next: sleep
          looked: -
          take staged: nothing to move
          cannot happen: selected 8, wrote, write fails, write is refused, reader has gone, noted
          cannot happen: note fails, flushed, flush fails, reopened, reopen fails, spilled
          cannot happen: spill fails, read back 5
        filling: asleep, 1 queued
          submit 10: wake => ready, 11 queued
          submit 10 live: wake => ready, 11 queued
          opened: -
          ended: -
          close: wake => ready, closing, 1 queued
          flush: wake => ready, 1 queued
          reopen: wake => ready, 1 queued
          abandon: wake; log lost(records: 1) => ready, abandoned
          next: sleep until 50
          looked: -
          take staged: nothing to move
          cannot happen: selected 8, wrote, write fails, write is refused, reader has gone, noted
          cannot happen: note fails, flushed, flush fails, reopened, reopen fails, spilled
          cannot happen: spill fails, read back 5
        selecting: selecting 10
          submit 10: - => selecting 10, 10 queued
          submit 10 live: - => selecting 10, 10 queued
          opened: -
          ended: -
          close: wake => selecting 10, closing
          flush: wake
          reopen: wake
          abandon: wake; log lost(records: 10) => selecting 10, abandoned
          selected 8: - => holding 8
          looked: -
          take staged: nothing to move
          cannot happen: next, wrote, write fails, write is refused, reader has gone, noted
          cannot happen: note fails, flushed, flush fails, reopened, reopen fails, spilled
          cannot happen: spill fails, read back 5
        writing: writing 10
          submit 10: - => writing 10, 10 queued
          submit 10 live: - => writing 10, 10 queued
          opened: -
          ended: -
          close: wake => writing 10, closing
          flush: wake
          reopen: wake
          abandon: wake; log lost(records: 10) => writing 10, abandoned
          wrote: - => ready
          write fails: log failing("locked") => holding 10 until 50, failing
          write is refused: - => holding 10
          reader has gone: wake; log readerGone("locked") => ready, finished
          looked: look at 5000
          take staged: nothing to move
          cannot happen: next, selected 8, noted, note fails, flushed, flush fails
          cannot happen: reopened, reopen fails, spilled, spill fails, read back 5
        hanging: writing 10, hanging
          submit 10: start moving => writing 10, hanging, 10 staged
          submit 10 live: start moving => writing 10, hanging, 10 staged
          opened: -
          ended: -
          close: wake => writing 10, hanging, closing
          flush: wake
          reopen: wake
          abandon: wake; log lost(records: 10) => writing 10, hanging, abandoned
          wrote: log recovered => ready
          write fails: log failing("locked") => holding 10 until 5050, failing
          write is refused: log recovered => holding 10
          reader has gone: wake; log readerGone("locked") => ready, hanging, finished
          looked: look at 30000
          take staged: nothing to move
          cannot happen: next, selected 8, noted, note fails, flushed, flush fails
          cannot happen: reopened, reopen fails, spilled, spill fails, read back 5
        failing: holding 10 until 51, failing
          submit 10: start moving => holding 10 until 51, failing, 10 staged
          submit 10 live: start moving => holding 10 until 51, failing, 10 staged
          opened: -
          ended: -
          close: wake => holding 10 until 51, failing, closing
          flush: wake
          reopen: wake
          abandon: wake; log lost(records: 10) => holding 10 until 51, failing, abandoned
          next: sleep until 51
          looked: -
          take staged: nothing to move
          cannot happen: selected 8, wrote, write fails, write is refused, reader has gone, noted
          cannot happen: note fails, flushed, flush fails, reopened, reopen fails, spilled
          cannot happen: spill fails, read back 5
        degraded: writing 10, degraded
          submit 10: start moving => writing 10, degraded, 10 staged
          submit 10 live: start moving => writing 10, degraded, 10 staged
          opened: -
          ended: -
          close: wake => writing 10, degraded, closing
          flush: wake
          reopen: wake
          abandon: wake; log lost(records: 10) => writing 10, degraded, abandoned
          wrote: log recovered => ready
          write fails: log failing("locked") => holding 10 until 30050, degraded
          write is refused: log recovered => holding 10
          reader has gone: wake; log readerGone("locked") => ready, degraded, finished
          looked: -
          take staged: nothing to move
          cannot happen: next, selected 8, noted, note fails, flushed, flush fails
          cannot happen: reopened, reopen fails, spilled, spill fails, read back 5
        splitting: holding 10
          submit 10: - => holding 10, 10 queued
          submit 10 live: - => holding 10, 10 queued
          opened: -
          ended: -
          close: wake => holding 10, closing
          flush: wake
          reopen: wake
          abandon: wake; log lost(records: 10) => holding 10, abandoned
          next: write 0..<5 => writing 10
          looked: -
          take staged: nothing to move
          cannot happen: selected 8, wrote, write fails, write is refused, reader has gone, noted
          cannot happen: note fails, flushed, flush fails, reopened, reopen fails, spilled
          cannot happen: spill fails, read back 5
        noting: noting
          submit 10: - => noting, 10 queued
          submit 10 live: - => noting, 10 queued
          opened: -
          ended: -
          close: wake => noting, closing
          flush: wake
          reopen: wake
          abandon: wake => noting, abandoned
          noted: - => ready
          note fails: log notesOutdated("locked") => ready
          looked: look at 5050
          take staged: nothing to move
          cannot happen: next, selected 8, wrote, write fails, write is refused, reader has gone
          cannot happen: flushed, flush fails, reopened, reopen fails, spilled, spill fails
          cannot happen: read back 5
        flushing: flushing
          submit 10: - => flushing, 10 queued
          submit 10 live: - => flushing, 10 queued
          opened: -
          ended: -
          close: wake => flushing, closing
          flush: wake
          reopen: wake
          abandon: wake; call 1 back => flushing, abandoned
          flushed: call 1 back => ready
          flush fails: call 1 back; log callFailed("flush: locked") => ready
          looked: look at 5000
          take staged: nothing to move
          cannot happen: next, selected 8, wrote, write fails, write is refused, reader has gone
          cannot happen: noted, note fails, reopened, reopen fails, spilled, spill fails
          cannot happen: read back 5
        reopening: reopening
          submit 10: - => reopening, 10 queued
          submit 10 live: - => reopening, 10 queued
          opened: -
          ended: -
          close: wake => reopening, closing
          flush: wake
          reopen: wake
          abandon: wake => reopening, abandoned
          reopened: - => ready
          reopen fails: log callFailed("open: locked") => ready
          looked: look at 5000
          take staged: nothing to move
          cannot happen: next, selected 8, wrote, write fails, write is refused, reader has gone
          cannot happen: noted, note fails, flushed, flush fails, spilled, spill fails
          cannot happen: read back 5
        reopening with a batch: reopening, failing
          submit 10: start moving => reopening, failing, 10 staged
          submit 10 live: start moving => reopening, failing, 10 staged
          opened: -
          ended: -
          close: wake => reopening, failing, closing
          flush: wake
          reopen: wake
          abandon: wake; log lost(records: 10) => reopening, failing, abandoned
          reopened: - => holding 10 until 51, failing
          reopen fails: log callFailed("open: locked") => holding 10 until 51, failing
          looked: look at 5002
          take staged: nothing to move
          cannot happen: next, selected 8, wrote, write fails, write is refused, reader has gone
          cannot happen: noted, note fails, flushed, flush fails, spilled, spill fails
          cannot happen: read back 5
        staged: writing 10, 20 queued, 10 staged
          submit 10: paused => writing 10, 20 queued, 20 staged
          submit 10 live: - => writing 10, 20 queued, 20 staged
          opened: -
          ended: -
          close: wake => writing 10, closing, 20 queued, 10 staged
          flush: wake
          reopen: wake
          abandon: wake; log lost(records: 40) => writing 10, abandoned
          wrote: - => ready, 20 queued, 10 staged
          write fails: log failing("locked") => holding 10 until 51, failing, 20 queued, 10 staged
          write is refused: - => holding 10, 20 queued, 10 staged
          reader has gone: wake; log readerGone("locked") => ready, finished
          looked: look at 5000
          take staged: move 10 => writing 10, 20 queued, 10 moving
          cannot happen: next, selected 8, noted, note fails, flushed, flush fails
          cannot happen: reopened, reopen fails, spilled, spill fails, read back 5
        moving: writing 10, 20 queued, 10 moving
          submit 10: paused => writing 10, 20 queued, 10 moving, 10 staged
          submit 10 live: - => writing 10, 20 queued, 10 moving, 10 staged
          opened: -
          ended: -
          close: wake => writing 10, closing, 20 queued, 10 moving
          flush: wake
          reopen: wake
          abandon: wake; log lost(records: 40) => writing 10, abandoned
          wrote: - => ready, 20 queued, 10 moving
          write fails: log failing("locked") => holding 10 until 51, failing, 20 queued, 10 moving
          write is refused: - => holding 10, 20 queued, 10 moving
          reader has gone: wake; log readerGone("locked") => ready, finished
          looked: look at 5000
          take staged: nothing to move
          spilled: log spilling(records: 10, bytes: 1000) => writing 10, 20 queued, 10 stored
          spill fails: log spillFull("disk full") => writing 10, 20 queued, 10 staged, spill full
          cannot happen: next, selected 8, noted, note fails, flushed, flush fails
          cannot happen: reopened, reopen fails, read back 5
        stored: writing 10, 20 queued, 10 stored
          submit 10: paused => writing 10, 20 queued, 10 stored, 10 staged
          submit 10 live: - => writing 10, 20 queued, 10 stored, 10 staged
          opened: -
          ended: -
          close: wake => writing 10, closing, 20 queued, 10 stored
          flush: wake
          reopen: wake
          abandon: wake; log lost(records: 40) => writing 10, abandoned
          wrote: - => ready, 20 queued, 10 stored
          write fails: log failing("locked") => holding 10 until 51, failing, 20 queued, 10 stored
          write is refused: - => holding 10, 20 queued, 10 stored
          reader has gone: wake; log readerGone("locked") => ready, finished
          looked: look at 5000
          take staged: nothing to move
          cannot happen: next, selected 8, noted, note fails, flushed, flush fails
          cannot happen: reopened, reopen fails, spilled, spill fails, read back 5
        spill full: writing 10, 20 queued, 10 staged, spill full
          submit 10: paused => writing 10, 20 queued, 20 staged, spill full
          submit 10 live: - => writing 10, 20 queued, 20 staged, spill full
          opened: -
          ended: -
          close: wake => writing 10, closing, 20 queued, 10 staged, spill full
          flush: wake
          reopen: wake
          abandon: wake; log lost(records: 40) => writing 10, abandoned
          wrote: - => ready, 20 queued, 10 staged, spill full
          write fails: log failing("locked") => holding 10 until 51, failing, 20 queued, 10 staged, spill full
          write is refused: - => holding 10, 20 queued, 10 staged, spill full
          reader has gone: wake; log readerGone("locked") => ready, finished
          looked: look at 5000
          take staged: nothing to move
          cannot happen: next, selected 8, noted, note fails, flushed, flush fails
          cannot happen: reopened, reopen fails, spilled, spill fails, read back 5
        reading: reading, 10 stored
          submit 10: paused => reading, 10 stored, 10 staged
          submit 10 live: - => reading, 10 stored, 10 staged
          opened: -
          ended: -
          close: wake => reading, closing, 10 stored
          flush: wake
          reopen: wake
          abandon: wake; log lost(records: 10) => reading, abandoned
          looked: -
          take staged: nothing to move
          read back 5: - => ready, 5 queued, 5 stored
          cannot happen: next, selected 8, wrote, write fails, write is refused, reader has gone
          cannot happen: noted, note fails, flushed, flush fails, reopened, reopen fails
          cannot happen: spilled, spill fails
        closing: writing 10, closing, 3 queued
          submit 10: - => writing 10, closing, 13 queued
          submit 10 live: - => writing 10, closing, 13 queued
          opened: -
          ended: -
          close: wake
          flush: wake
          reopen: wake
          abandon: wake; log lost(records: 13) => writing 10, abandoned
          wrote: - => ready, closing, 3 queued
          write fails: log failing("locked") => holding 10 until 51, failing, closing, 3 queued
          write is refused: - => holding 10, closing, 3 queued
          reader has gone: wake; log readerGone("locked") => ready, finished
          looked: look at 5000
          take staged: nothing to move
          cannot happen: next, selected 8, noted, note fails, flushed, flush fails
          cannot happen: reopened, reopen fails, spilled, spill fails, read back 5
        ended: ended, finished
          submit 10: closed
          submit 10 live: closed
          opened: -
          ended: -
          close: wake
          flush: call 1 back
          reopen: wake
          abandon: wake => ended, abandoned
          next: end
          looked: -
          take staged: nothing to move
          spilled: -
          spill fails: -
          cannot happen: selected 8, wrote, write fails, write is refused, reader has gone, noted
          cannot happen: note fails, flushed, flush fails, reopened, reopen fails, read back 5
        not opened: ended, finished
          submit 10: closed
          submit 10 live: closed
          opened: -
          ended: -
          close: wake
          flush: call 1 back
          reopen: wake
          abandon: wake => ended, abandoned
          next: end
          looked: -
          take staged: nothing to move
          spilled: -
          spill fails: -
          cannot happen: selected 8, wrote, write fails, write is refused, reader has gone, noted
          cannot happen: note fails, flushed, flush fails, reopened, reopen fails, read back 5
        reader gone: ready, finished
          submit 10: closed
          submit 10 live: closed
          opened: -
          ended: -
          close: wake
          flush: call 1 back
          reopen: wake
          abandon: wake => ready, abandoned
          next: end => ended, finished
          looked: -
          take staged: nothing to move
          spilled: -
          spill fails: -
          cannot happen: selected 8, wrote, write fails, write is refused, reader has gone, noted
          cannot happen: note fails, flushed, flush fails, reopened, reopen fails, read back 5
        abandoned: writing 10, abandoned
          submit 10: closed
          submit 10 live: closed
          opened: -
          ended: -
          close: wake
          flush: call 1 back
          reopen: wake
          abandon: -
          wrote: - => ready, abandoned
          write fails: - => ready, abandoned
          write is refused: - => ready, abandoned
          reader has gone: - => ready, abandoned
          looked: -
          take staged: nothing to move
          spilled: -
          spill fails: -
          cannot happen: next, selected 8, noted, note fails, flushed, flush fails
          cannot happen: reopened, reopen fails, read back 5
        """
}
