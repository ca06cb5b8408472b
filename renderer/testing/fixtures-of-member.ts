import type { MemberSession, SignInSlipAnswer } from '../../contracts/api/member-session.ts'
import { withMember } from './sales.ts'
import type { ScreenFixture, ScreenFixtures } from './screen-fixture.ts'

type Plain<Session> = Session extends { saleId: string } ? Omit<Session, 'saleId'> : never

/** The sale with the collector's sign-in at this point, as a window that opens finds it. */
const signingIn = (session: Plain<MemberSession>, path = '/'): ScreenFixture => ({
  path,
  sale: withMember(),
  set: ({ state }) => {
    state.answers['GET /api/member-session'] = {
      status: 200,
      body: { offered: true, session: { ...session, saleId: withMember().id } },
    }
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
      terminal.state.answers[`POST /api/sales/${withMember().id}/member-session/print`] = { status: 200, body: answer }
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

/** The collector signs in with their own phone. */
export const MEMBER: ScreenFixtures = {
  'member-asking': signingIn({ state: 'asking' }),
  'member-waiting': signingIn(WAITING),
  'member-code-printed': printing({ state: 'confirmed', trouble: null }),
  'member-code-not-printed': printing({ state: 'failed', trouble: 'paper-out' }),
  'member-signed-in': signingIn({ state: 'signed-in', at: '2026-11-21T14:03:12.000Z' }),
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
  'customer-signed-in': signingIn({ state: 'signed-in', at: '2026-11-21T14:03:12.000Z' }, '/customer'),
}
