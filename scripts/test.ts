import { DAY_COUNTS, testDay } from './testing/parts.ts'
import { heading } from './testing/steps.ts'
import { createSummary } from './testing/summary.ts'

/**
 * `npm test`: what guards every change, in the order in which a mistake is cheapest to find. Nothing stops at the first
 * failure, so that one run tells all. What takes long is a campaign: `npm run test:campaigns`.
 */
const summary = createSummary()
await testDay(summary)
summary.save(DAY_COUNTS)
heading('summary')
summary.print()
