import { defineConfig } from 'vitest/config'
import LongestFirst from './scripts/testing/longest-first.ts'

/** The browser scenarios of e2e/ have their own runner; everything else is a `*.test.ts` beside its source. */
export default defineConfig({
  test: {
    include: ['**/*.test.{ts,tsx}'],
    exclude: ['**/node_modules/**', 'build/**', 'release/**', 'e2e/**'],
    // The tests of the screens look at what a store runs, built once for all of them.
    globalSetup: ['./renderer/testing/build.ts'],
    // Real sockets, files and processes: a process per test file keeps a native module or a port of one out of the
    // other's way.
    pool: 'forks',
    // What compiles on a thread of its own can keep Node from ending (docs/decisions/0012-memory-of-the-backend.md).
    execArgv: ['--no-concurrent-sparkplug'],
    // Twice the two cores of a small machine: much of the time is waiting, for a disk, a printer or a page.
    maxWorkers: 4,
    sequence: { sequencer: LongestFirst },
    // Against what never ends, not a measure of speed: on a busy machine what compiles everything takes minutes.
    testTimeout: 180_000,
    hookTimeout: 180_000,
    // What a busy machine shows a second later is shown all the same: speed is measured elsewhere.
    expect: { poll: { timeout: 10_000 } },
    // A focused test would leave the others out silently.
    allowOnly: false,
  },
})
