/**
 * True with `MILEPOST_CAMPAIGN=1`: a campaign that has a longer form takes it, for a night. Without it `npm run
 * test:campaigns` plays what a continuous integration can wait for.
 */
export const isWholeCampaign = process.env['MILEPOST_CAMPAIGN'] === '1'

const DAY_MS = 86_400_000
/** Days since 1970 (UTC). Campaigns select their share of the day by it. */
export const DAY = Math.floor(Date.now() / DAY_MS)

/** Every `days`-th case, different ones each day; all cases in a whole campaign. */
export const todays = <Case>(cases: readonly Case[], days: number): Case[] =>
  cases.filter((_, index) => isWholeCampaign || index % days === DAY % days)
