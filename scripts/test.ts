import { DAY_COUNTS, testDay } from './testing/test-sets.ts'
import { heading } from './testing/steps.ts'
import { createSummary } from './testing/summary.ts'

/**
 * `npm test`: runs the checks that every change needs, cheapest first. It does not stop at the first failure, so that
 * one run reports all. Slow tests and campaigns: `npm run test:campaigns`.
 */
const summary = createSummary()
await testDay(summary)
summary.save(DAY_COUNTS)
heading('summary')
summary.print()
