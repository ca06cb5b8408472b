import type {
  HistoryFailure,
  MemberHistory,
  MemberHistoryPage,
  MemberSession,
  MemberTransaction,
  SignInSlipAnswer,
} from '../../../contracts/loyalty/member.ts'
import { withMember } from '../../testing/sales.ts'
import { open, type Localize, type ScreenFixture, type ScreenFixtures } from '../../testing/screen-fixture.ts'

type Sponsor = NonNullable<MemberTransaction['sponsor']>

const market = (localize: Localize): Sponsor => ({
  name: localize('Northstar Markets', 'Marchés Northstar'),
  colour: 'teal',
})
const fuel = (localize: Localize): Sponsor => ({
  name: localize('Riverbend Fuels', 'Carburants Riverbend'),
  colour: 'violet',
})
const hardware = (localize: Localize): Sponsor => ({
  name: localize('Olde Mill Hardware & Garden Centre', 'Quincaillerie et jardinerie Vieux-Moulin'),
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

function transactions(localize: Localize): MemberTransaction[] {
  const base = localize('1 mile for every $5', '1 mille par tranche de 5 $')
  return [
    earned('2026-11-21T14:02:00.000Z', market(localize), base, 18),
    {
      ...earned('2026-11-20T22:41:00.000Z', fuel(localize), localize('Weekend fill-up', 'Le plein du week-end'), 240),
      offer: localize('10 times the miles with a fill-up', '10 fois les milles avec le plein'),
    },
    {
      ...earned(
        '2026-11-18T20:15:00.000Z',
        market(localize),
        localize('Paid with miles', 'Payé avec des milles'),
        -380,
      ),
      activity: 'REDEMPTION',
      cashPart: -380,
      dreamPart: 0,
    },
    earned('2026-11-18T20:15:00.000Z', market(localize), base, 9),
    {
      ...earned(
        '2026-11-15T16:30:00.000Z',
        hardware(localize),
        localize(
          '25 bonus miles on outdoor lighting, extension cords and timers',
          '25 milles en prime sur l’éclairage extérieur, les rallonges et les minuteries',
        ),
        25,
      ),
    },
    { ...earned('2026-11-12T18:05:00.000Z', market(localize), base, -4), activity: 'RETURN' },
    earned(
      '2026-11-12T17:58:00.000Z',
      market(localize),
      localize('5 bonus miles on coffee', '5 milles en prime sur le café'),
      5,
    ),
    {
      ...earned('2026-11-09T23:20:00.000Z', fuel(localize), '', 12),
      description: null,
      cashPart: null,
      dreamPart: null,
    },
    earned('2026-11-05T21:11:00.000Z', market(localize), base, 31),
    { ...earned('2026-11-02T15:00:00.000Z', fuel(localize), base, 7), at: null, activity: null },
  ]
}

export const historyPage = (localize: Localize, change: Partial<MemberHistoryPage> = {}): MemberHistoryPage => ({
  kind: 'page',
  transactions: transactions(localize),
  page: 0,
  pages: 3,
  total: 24,
  ...change,
})

const NO_HISTORY: Partial<MemberHistoryPage> = { transactions: [], pages: 0, total: 0 }

export const historyFailed = (
  cause: HistoryFailure['cause'],
  code: string | null,
  correlationId: string | null = null,
): { kind: 'failed'; failure: HistoryFailure } => ({ kind: 'failed', failure: { cause, code, correlationId } })

type Plain<Session> = Session extends { saleId: string } ? Omit<Session, 'saleId'> : never

const NO_ANSWERS = (_localize: Localize): Readonly<Record<string, unknown>> => ({})
const signingIn = (session: Plain<MemberSession>, path = '/', answers = NO_ANSWERS): ScreenFixture => ({
  path,
  sale: withMember(),
  answers: (localize) => ({
    'GET /api/member-session': { offered: true, session: { ...session, saleId: withMember().id } },
    ...answers(localize),
  }),
})
const WAITING = {
  state: 'waiting',
  userCode: 'WDJB-MJHT',
  page: 'https://miles.example/device',
  pageWithCode: 'https://miles.example/device?user_code=WDJB-MJHT',
  expiresAt: '2026-11-21T14:13:00.000Z',
} as const

const printing = (answer: SignInSlipAnswer): ScreenFixture => ({
  ...signingIn(WAITING, '/', () => ({ [`POST /api/sales/${withMember().id}/member-session/print`]: answer })),
  act: async (page) => {
    await page.keyboard.press('Control+u')
    await page
      .getByText(/^(Code printed|Code not printed|Code imprimé|Code non imprimé)/)
      .first()
      .waitFor()
  },
})

const SIGNED_IN = { state: 'signed-in', at: '2026-11-21T14:03:12.000Z' } as const
const HISTORY = `/api/sales/${withMember().id}/member-history`

const history = (
  answer: (localize: Localize) => MemberHistory,
  act: ScreenFixture['act'] = open('Control+h'),
): ScreenFixture => ({
  ...signingIn(SIGNED_IN, '/', (localize) => ({
    [`GET ${HISTORY}`]: answer(localize),
    [`POST ${HISTORY}/print`]: { kind: 'printed', state: 'failed' },
  })),
  act,
})
const failing = (...failed: Parameters<typeof historyFailed>): ScreenFixture => history(() => historyFailed(...failed))

const displayed = (answer: (localize: Localize) => MemberHistory): ScreenFixture => ({
  ...history(answer, async (page, terminal) => {
    await page.getByRole('main').getByRole('status').first().waitFor()
    terminal.push({
      type: 'member-history-shown',
      saleId: withMember().id,
      shown: { range: '30-days', sponsors: 'all', sort: ['newest'], page: 0 },
    })
    await page.locator('main > section').waitFor()
  }),
  path: '/customer',
})

export const MEMBER: ScreenFixtures = {
  'member-asking': signingIn({ state: 'asking' }),
  'member-waiting': signingIn(WAITING),
  'member-code-printed': printing({ state: 'confirmed', trouble: null }),
  'member-code-not-printed': printing({ state: 'failed', trouble: 'paper-out' }),
  'member-signed-in': signingIn(SIGNED_IN),
  'member-someone-else': signingIn({ state: 'ended', why: 'someone-else' }),
  'member-expired': signingIn({ state: 'ended', why: 'expired' }),
  'member-unreachable': signingIn({ state: 'ended', why: 'unreachable' }),
  'training-phone': {
    ...signingIn(WAITING),
    act: async (page) => {
      await page.keyboard.press('F10')
      await page.getByRole('region', { name: /^(Customer’s phone|Téléphone du client)$/ }).waitFor()
    },
  },
  'training-phone-done': {
    ...signingIn(WAITING),
    act: async (page) => {
      await page.keyboard.press('F10')
      const phone = page.getByRole('region', { name: /^(Customer’s phone|Téléphone du client)$/ })
      await phone.getByRole('button').first().click()
      await phone.getByRole('status').waitFor()
    },
  },
  'customer-phone': signingIn(WAITING, '/customer'),
  'customer-signed-in': signingIn(SIGNED_IN, '/customer'),
  'member-history': history(historyPage),
  'member-history-printed': history(historyPage, async (page) => {
    await open('Control+h')(page)
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('button').filter({ hasText: '10' }).click()
    await dialog.getByRole('status').last().filter({ hasText: /\w/ }).waitFor()
  }),
  'member-history-last': history((localize) =>
    historyPage(localize, { transactions: historyPage(localize).transactions.slice(0, 4), page: 2 }),
  ),
  'member-history-empty': history((localize) => historyPage(localize, NO_HISTORY)),
  'member-history-timeout': failing('timeout', 'HTTP 408'),
  'member-history-maintenance': failing('maintenance', 'HTTP 503', '5f1f6c0e-6a53-4e0f-9c53-2f6f0f6d5b1e'),
  'member-history-unreachable': failing('unreachable', 'ECONNREFUSED'),
  'member-history-refused': failing('refused', 'HTTP 401'),
  'member-history-token-unreachable': failing('token-unreachable', null),
  'member-history-not-found': failing('not-found', 'HTTP 404'),
  'member-history-bad-request': failing('bad-request', 'HTTP 400'),
  'member-history-server-error': failing('server-error', 'HTTP 500'),
  'member-history-malformed': failing('malformed', 'HTTP 200'),
  'member-history-collector': failing('collector-refused', 'HTTP 401', '5f1f6c0e-6a53-4e0f-9c53-2f6f0f6d5b1e'),
  'member-history-breaker': failing('breaker-open', null),
  'customer-history': displayed(historyPage),
  'customer-history-empty': displayed((localize) => historyPage(localize, NO_HISTORY)),
  'customer-history-failed': displayed(() => historyFailed('timeout', 'HTTP 408')),
}
