import { heading, runStep, VITEST } from './testing/steps.ts'

/**
 * `npm run test:campaigns`: the simulation over two thousand seeds, the backend killed at every step of every story and
 * of every recovery, and the whole conformance suite against the reference services. `npm test` plays four hundred
 * seeds, kills the payments with miles, and runs a share of the suite.
 */
heading('simulation, real crashes and conformance, whole')
const tests = await runStep(VITEST, ['run', 'backend/simulation', 'backend/testing/crashes', 'conformance'], {
  show: true,
  env: { MILEPOST_CAMPAIGN: '1' },
  deadlineMs: 30 * 60_000,
})
process.exitCode = tests.ok ? 0 : 1
