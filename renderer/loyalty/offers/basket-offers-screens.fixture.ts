import type { Page } from '@playwright/test'
import type { BasketOffers } from '../../../contracts/loyalty/basket-offers.ts'
import type { MemberSession } from '../../../contracts/loyalty/member.ts'
import english from '../../../contracts/i18n/en-CA/errors.ts'
import french from '../../../contracts/i18n/fr-CA/errors.ts'
import {
  answerOf,
  earned,
  everything,
  nearly,
  ofMember,
  optedIn,
  optingIn,
  refusedOne,
  waiting,
} from './basket-offers.fixture.ts'
import { open, press, type Say, type ScreenFixture, type ScreenFixtures } from '../../testing/screen-fixture.ts'
import { withMember } from '../../testing/sales.ts'
import { ok } from '../../testing/answers.ts'

const PATH = '/api/sales/01K9TRAINLANE01/offers'
const SIGNED_IN: MemberSession = {
  state: 'signed-in',
  saleId: withMember().id,
  at: '2026-11-21T14:03:12.000Z',
}

interface Around {
  readonly path?: string
  readonly session?: MemberSession
}

/** The sale of a member whose offers are these. */
const offers = (
  answer: (say: Say) => BasketOffers,
  act: ScreenFixture['act'] = shown,
  { path = '/', session }: Around = {},
): ScreenFixture => ({
  ...(path === '/' ? {} : { path }),
  sale: withMember(),
  set: ({ state }, say) => {
    state.answers[`GET ${PATH}`] = ok(answer(say))
    if (session) state.answers['GET /api/member-session'] = ok({ offered: true, session })
  },
  act,
})
// By what they are, and not by their words: these are shown in a language that nobody speaks too.
const line = (page: Page) => page.locator('section > [role="group"] > button:has(strong)')

/** The line has its words: the offers were asked for once the sale was painted. */
async function shown(page: Page): Promise<void> {
  await line(page).first().waitFor()
}
/** All of them, with this many steps down the list. */
const opened =
  (steps = 0) =>
  async (page: Page): Promise<void> => {
    await shown(page)
    await open('Control+f')(page)
    await page.getByRole('dialog').getByRole('option').first().waitFor()
    await press(...Array.from({ length: steps }, () => 'ArrowDown'))(page)
  }
const dialog = async (page: Page): Promise<void> => {
  await page.keyboard.press('Control+f')
  await page.getByRole('dialog').getByRole('heading', { level: 2 }).nth(1).waitFor()
}
const cards = async (page: Page): Promise<void> => {
  await page.locator('main section li').first().waitFor()
}
const member = { session: SIGNED_IN } as const
const display = (answer: (say: Say) => BasketOffers, around: Around = {}): ScreenFixture =>
  offers(answer, cards, { path: '/customer', ...around })

/** The offers of the basket: the line, all of them, and what the customer sees. */
export const BASKET_OFFERS: ScreenFixtures = {
  'offers-line-earned': offers((say) => answerOf([earned(say)])),
  'offers-line-nearly': offers((say) => answerOf([earned(say), nearly(say)])),
  'offers-line-sign-in': offers((say) => answerOf([earned(say), waiting(say, 2, 90), waiting(say, 4, 60)])),
  'offers-line-opt-in': offers(ofMember, shown, member),
  'offers-line-opting-in': offers(optingIn, shown, member),
  'offers-line-nothing': offers((say) => answerOf(everything(say).offers.slice(-3))),
  'offers-panel': offers(everything, opened()),
  'offers-panel-code': offers(everything, opened(3)),
  'offers-panel-stale': offers((say) => everything(say, { stale: true }), opened()),
  'offers-panel-empty': offers(() => answerOf([]), dialog),
  'offers-panel-never': offers(() => answerOf([], { fetchedAt: null, stale: true }), dialog),
  'offers-panel-loading': {
    sale: withMember(),
    act: async (page, terminal) => {
      await page.route('**/offers?*', () => undefined)
      terminal.push({ type: 'sale-changed', cause: 'scan', sale: { ...withMember(), id: '01K9TRAINLANE02' as never } })
      await page.keyboard.press('Control+f')
      await page.getByRole('dialog').getByRole('status').waitFor()
    },
  },
  'offers-panel-failed': {
    sale: withMember(),
    refused: true,
    set: ({ state }) => {
      state.answers[`GET ${PATH}`] = {
        status: 403,
        body: {
          code: 'manager-required',
          messages: { 'en-CA': english['manager-required'], 'fr-CA': french['manager-required'] },
          correlationId: 'c',
        },
      }
    },
    act: async (page) => {
      await page.keyboard.press('Control+f')
      await page.getByRole('dialog').getByRole('alert').waitFor()
    },
  },
  'offers-panel-member-loading': offers(
    (say) => everything(say, { member: { state: 'loading', optedIn: null, changing: 0 } }),
    opened(1),
    member,
  ),
  'offers-panel-member': offers(ofMember, opened(1), member),
  'offers-panel-member-failed': offers(
    (say) => ofMember(say, { member: { state: 'failed', optedIn: null, changing: 0 } }),
    opened(1),
    member,
  ),
  'offers-panel-opting-in': offers(optingIn, opened(), member),
  'offers-panel-opted-in': offers(optedIn, opened(), member),
  'offers-panel-refused': offers(refusedOne, opened(), member),
  'offers-panel-legal': offers(everything, async (page) => {
    await opened()(page)
    await page.getByRole('dialog').getByRole('heading', { level: 4 }).getByRole('button').click()
  }),
  'customer-offers': display(everything),
  'customer-offers-opting-in': display(optingIn, member),
  'customer-offers-opted-in': display(optedIn, member),
}
