/**
 * True with `MILEPOST_CAMPAIGN=1`: a campaign that has a longer form takes it, for a night. Without it `npm run
 * test:campaigns` plays what a continuous integration can wait for.
 */
export const isWholeCampaign = process.env['MILEPOST_CAMPAIGN'] === '1'

const DAY_MS = 86_400_000
/** The number of the day (UTC): what changes from day to day is chosen by it. */
export const DAY = Math.floor(Date.now() / DAY_MS)

/** A share of a campaign's cases, `1 / days` of them, others each day; all of them in a whole campaign. */
export const todays = <Case>(cases: readonly Case[], days: number): Case[] =>
  cases.filter((_, index) => isWholeCampaign || index % days === DAY % days)
