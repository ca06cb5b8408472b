import { heading, runStep, VITEST } from './testing/steps.ts'

/**
 * `npm run lab -- hardware`: runs long tests of the device drivers and the device hub: fifty million fuzzed bytes,
 * forty megabytes of noise, and a reader, a scanner and a printer (half serial, half network) unplugged five hundred
 * times each. `npm run test:campaigns` runs a share of each.
 */
heading('hardware, long tests')
const tests = await runStep(VITEST, ['run', 'hardware', 'backend/operations/devices'], {
  show: true,
  env: { MILEPOST_CAMPAIGN: '1' },
  deadlineMs: 20 * 60_000,
})
process.exitCode = tests.ok ? 0 : 1
