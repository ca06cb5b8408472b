import { testCampaigns, testDay } from './testing/parts.ts'
import { heading } from './testing/steps.ts'
import { createSummary } from './testing/summary.ts'

/** `npm run test:all`: every day's tests and the campaigns, counted together, as the continuous integration runs them. */
const summary = createSummary()
await testDay(summary)
await testCampaigns(summary)
heading('summary')
summary.print()
