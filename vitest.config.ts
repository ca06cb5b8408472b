import { defineConfig } from 'vitest/config'
import LongestFirst from './scripts/testing/longest-first.ts'

/** The browser scenarios of e2e/ have their own runner; all other tests are `*.test.ts` next to their source. */
export default defineConfig({
  test: {
    include: ['**/*.test.{ts,tsx}'],
    exclude: ['**/node_modules/**', 'build/**', 'release/**', 'e2e/**'],
    // Tests of screens use the production build, made once.
    globalSetup: ['./renderer/testing/build.ts'],
    // A process per test file isolates native modules, ports and files.
    pool: 'forks',
    // Concurrent compilation can prevent Node from exiting (docs/decisions/0012-memory-of-the-backend.md).
    execArgv: ['--no-concurrent-sparkplug'],
    // Twice the two cores of a small machine, because tests wait for disks, printers and pages.
    maxWorkers: 4,
    sequence: { sequencer: LongestFirst },
    // Ends tests that hang. Speed is measured elsewhere: on a busy machine a full compilation takes minutes.
    testTimeout: 180_000,
    hookTimeout: 180_000,
    // A busy machine may show a result seconds later.
    expect: { poll: { timeout: 10_000 } },
    // A focused test would leave the others out silently.
    allowOnly: false,
  },
})
