import { testCampaigns } from './testing/parts.ts'
import { heading } from './testing/steps.ts'
import { createSummary } from './testing/summary.ts'

/**
 * `npm run test:campaigns`: the tests whose files are named `*.campaign.test.ts` and `*.campaign.spec.ts`, some
 * minutes. With `MILEPOST_CAMPAIGN=1` each takes its longest form, and the run a night.
 */
const summary = createSummary()
await testCampaigns(summary)
heading('summary')
summary.print()
