/**
 * True with `MILEPOST_CAMPAIGN=1`: a campaign that has a longer form takes it, for a night. Without it `npm run
 * test:campaigns` plays what a continuous integration can wait for.
 */
export const isWholeCampaign = process.env['MILEPOST_CAMPAIGN'] === '1'
