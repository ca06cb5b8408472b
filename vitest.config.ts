import { defineConfig } from 'vitest/config'
import LongestFirst from './scripts/testing/longest-first.ts'

/** The browser scenarios in e2e/ have their own test runner; all other tests are `*.test.ts` next to their source. */
export default defineConfig({
  test: {
    include: ['**/*.test.{ts,tsx}'],
    exclude: ['**/node_modules/**', 'build/**', 'release/**', 'e2e/**'],
    // Tests of screens use the production build of the screens, which is made once.
    globalSetup: ['./renderer/testing/build.ts'],
    // Processes isolate native modules, ports and files. Each runs one test file; with `--no-isolate`
    // (scripts/testing/test-sets.ts) it runs several.
    pool: 'forks',
    // Concurrent compilation is off, because it can prevent Node from exiting
    // (docs/decisions/0012-memory-of-the-backend.md).
    execArgv: ['--no-concurrent-sparkplug'],
    // Six workers are three times the two cores of a small machine, because tests wait for disks, printers and pages.
    maxWorkers: 6,
    sequence: { sequencer: LongestFirst },
    // The timeout ends tests that hang. Speed is measured elsewhere: on a busy machine a full compilation takes
    // minutes.
    testTimeout: 180_000,
    hookTimeout: 180_000,
    // The poll timeout is long, because a busy machine may show a result seconds later.
    expect: { poll: { timeout: 10_000 } },
    // A focused test (`.only`) is an error, because it would leave the others out silently.
    allowOnly: false,
  },
})
