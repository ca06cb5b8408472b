import type { MemberHistory, MemberSession, SignInSlipAnswer } from '../../../contracts/loyalty/member.ts'
import { historyFailed, historyPage, NO_HISTORY } from './history.fixture.ts'
import { withMember } from '../../testing/sales.ts'
import { open, type Say, type ScreenFixture, type ScreenFixtures } from '../../testing/screen-fixture.ts'
import { ok } from '../../testing/answers.ts'

type Plain<Session> = Session extends { saleId: string } ? Omit<Session, 'saleId'> : never

/** The sale with the collector's sign-in at this point, as a window that opens finds it. */
const signingIn = (session: Plain<MemberSession>, path = '/'): ScreenFixture => ({
  path,
  sale: withMember(),
  set: ({ state }) => {
    state.answers['GET /api/member-session'] = ok({ offered: true, session: { ...session, saleId: withMember().id } })
  },
})
const WAITING = {
  state: 'waiting',
  userCode: 'WDJB-MJHT',
  page: 'https://miles.example/device',
  pageWithCode: 'https://miles.example/device?user_code=WDJB-MJHT',
  expiresAt: '2026-11-21T14:13:00.000Z',
} as const

/** The code was sent to the printer, and this became of it. */
const printing = (answer: SignInSlipAnswer): ScreenFixture => {
  const waiting = signingIn(WAITING)
  return {
    ...waiting,
    set: (terminal, say) => {
      waiting.set?.(terminal, say)
      terminal.state.answers[`POST /api/sales/${withMember().id}/member-session/print`] = ok(answer)
    },
    act: async (page) => {
      await page.keyboard.press('Control+u')
      await page
        .getByText(/^(Code printed|Code not printed|Code imprimé|Code non imprimé)/)
        .first()
        .waitFor()
    },
  }
}

const SIGNED_IN = { state: 'signed-in', at: '2026-11-21T14:03:12.000Z' } as const
const HISTORY = `/api/sales/${withMember().id}/member-history`

/** Whoever has signed in looks at their miles, with what the program answers. */
const history = (
  answer: (say: Say) => MemberHistory,
  act: ScreenFixture['act'] = open('Control+h'),
): ScreenFixture => ({
  ...signingIn(SIGNED_IN),
  set: (terminal, say) => {
    signingIn(SIGNED_IN).set?.(terminal, say)
    terminal.state.answers[`GET ${HISTORY}`] = ok(answer(say))
    terminal.state.answers[`POST ${HISTORY}/print`] = ok({ kind: 'printed', state: 'failed' })
  },
  act,
})
const failing = (...failed: Parameters<typeof historyFailed>): ScreenFixture => history(() => historyFailed(...failed))

/** The display, told that the cashier has it open. */
const displayed = (answer: (say: Say) => MemberHistory): ScreenFixture => ({
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

/** The collector signs in with their own phone, and looks at their miles. */
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
  'member-history-last': history((say) =>
    historyPage(say, { transactions: historyPage(say).transactions.slice(0, 4), page: 2 }),
  ),
  'member-history-empty': history((say) => historyPage(say, NO_HISTORY)),
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
  'customer-history-empty': displayed((say) => historyPage(say, NO_HISTORY)),
  'customer-history-failed': displayed(() => historyFailed('timeout', 'HTTP 408')),
}
