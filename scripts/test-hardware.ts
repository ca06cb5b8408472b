import { heading, runStep, VITEST } from './testing/steps.ts'

/**
 * `npm run lab hardware`: the drivers and the hub with the long runs on: fifty million fuzzed bytes, forty megabytes
 * of noise on a wire, a reader and a scanner unplugged five hundred times each, a printer as often, on a serial port
 * and on the network by turns. `npm run test:campaigns` runs a share of each.
 */
heading('hardware, with the long runs')
const tests = await runStep(VITEST, ['run', 'hardware', 'backend/operations/devices'], {
  show: true,
  env: { MILEPOST_CAMPAIGN: '1' },
  deadlineMs: 20 * 60_000,
})
process.exitCode = tests.ok ? 0 : 1
