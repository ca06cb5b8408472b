import { heading, runStep, VITEST } from './testing/steps.ts'

/**
 * `npm run test:campaigns`: the simulation over two thousand seeds, and the backend killed at every step of every story
 * and of every recovery. `npm test` plays four hundred seeds, and kills the payments with miles.
 */
heading('simulation and real crashes, whole')
const tests = await runStep(VITEST, ['run', 'backend/simulation', 'backend/testing/crashes'], {
  show: true,
  env: { MILEPOST_CAMPAIGN: '1' },
  deadlineMs: 30 * 60_000,
})
process.exitCode = tests.ok ? 0 : 1
