/**
 * True in `npm run test:campaigns`: tests that have a longer form take it. `npm test` is what a change can wait for.
 */
export const isCampaign = process.env['MILEPOST_CAMPAIGN'] === '1'
