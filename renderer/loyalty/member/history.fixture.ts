import type { HistoryFailure, MemberHistoryPage, MemberTransaction } from '../../../contracts/loyalty/member.ts'
import type { Say } from '../../testing/screen-fixture.ts'

type Sponsor = NonNullable<MemberTransaction['sponsor']>

const market = (say: Say): Sponsor => ({ name: say('Northstar Markets', 'Marchés Northstar'), colour: 'teal' })
const fuel = (say: Say): Sponsor => ({ name: say('Riverbend Fuels', 'Carburants Riverbend'), colour: 'violet' })
const hardware = (say: Say): Sponsor => ({
  name: say('Olde Mill Hardware & Garden Centre', 'Quincaillerie et jardinerie Vieux-Moulin'),
  colour: 'brown',
})

const earned = (at: string, sponsor: Sponsor, description: string, miles: number): MemberTransaction => ({
  at,
  description,
  offer: null,
  activity: 'ISSUANCE',
  sponsor,
  miles,
  cashPart: Math.floor(miles / 2),
  dreamPart: Math.ceil(miles / 2),
})

function transactions(say: Say): MemberTransaction[] {
  const base = say('1 mile for every $5', '1 mille par tranche de 5 $')
  return [
    earned('2026-11-21T14:02:00.000Z', market(say), base, 18),
    {
      ...earned('2026-11-20T22:41:00.000Z', fuel(say), say('Weekend fill-up', 'Le plein du week-end'), 240),
      offer: say('10 times the miles with a fill-up', '10 fois les milles avec le plein'),
    },
    {
      ...earned('2026-11-18T20:15:00.000Z', market(say), say('Paid with miles', 'Payé avec des milles'), -380),
      activity: 'REDEMPTION',
      cashPart: -380,
      dreamPart: 0,
    },
    earned('2026-11-18T20:15:00.000Z', market(say), base, 9),
    {
      ...earned(
        '2026-11-15T16:30:00.000Z',
        hardware(say),
        say(
          '25 bonus miles on outdoor lighting, extension cords and timers',
          '25 milles en prime sur l’éclairage extérieur, les rallonges et les minuteries',
        ),
        25,
      ),
    },
    { ...earned('2026-11-12T18:05:00.000Z', market(say), base, -4), activity: 'RETURN' },
    earned('2026-11-12T17:58:00.000Z', market(say), say('5 bonus miles on coffee', '5 milles en prime sur le café'), 5),
    {
      ...earned('2026-11-09T23:20:00.000Z', fuel(say), '', 12),
      description: null,
      cashPart: null,
      dreamPart: null,
    },
    earned('2026-11-05T21:11:00.000Z', market(say), base, 31),
    { ...earned('2026-11-02T15:00:00.000Z', fuel(say), base, 7), at: null, activity: null },
  ]
}

/** The first of three pages of the last 30 days. */
export const historyPage = (say: Say, change: Partial<MemberHistoryPage> = {}): MemberHistoryPage => ({
  kind: 'page',
  transactions: transactions(say),
  page: 0,
  pages: 3,
  total: 24,
  ...change,
})

export const NO_HISTORY: Partial<MemberHistoryPage> = { transactions: [], pages: 0, total: 0 }

export const historyFailed = (
  cause: HistoryFailure['cause'],
  code: string | null,
  correlationId: string | null = null,
): { kind: 'failed'; failure: HistoryFailure } => ({ kind: 'failed', failure: { cause, code, correlationId } })
