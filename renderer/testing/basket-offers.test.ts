import type { Page } from '@playwright/test'
import { beforeEach, describe, expect, test } from 'vitest'
import type { BasketOffers } from '../../contracts/loyalty/basket-offers.ts'
import type { MemberSession } from '../../contracts/loyalty/member.ts'
import { useBuiltScreens } from './built-screens.ts'
import {
  answerOf,
  COFFEE,
  earned,
  everything,
  ofMember,
  optedIn,
  optingIn,
  refusedOne,
  waiting,
  WINTER,
} from '../loyalty/offers/basket-offers.fixture.ts'
import { ALEX } from './screen-fixture.ts'
import type { FixtureTerminal } from './fixture-terminal.ts'
import { line, saleOf, withMember } from './sales.ts'
import { ok } from './answers.ts'

/** The offers of the basket in the lane's own browser engine: by keys, while items are scanned, on both screens. */
const SALE = withMember()
const screens = useBuiltScreens(() => ({ signedIn: ALEX, sale: SALE }), { viewport: { width: 1024, height: 600 } })
const { holdAnswer, posted } = screens
let terminal: FixtureTerminal
let page: Page

const english = (text: string): string => text
const OFFERS = `GET /api/sales/${SALE.id}/offers`
const signedIn: MemberSession = { state: 'signed-in', saleId: SALE.id, at: '2026-11-21T14:03:12.000Z' }
const says = (offers: BasketOffers): void => {
  terminal.state.answers[OFFERS] = ok(offers)
}
const states = (): void => terminal.push({ type: 'offer-states', saleId: SALE.id })
const place = () => page.getByRole('group', { name: 'Offers', exact: true })
const panel = () => page.getByRole('dialog')
const box = (of: ReturnType<Page['getByRole']>) => of.boundingBox()

beforeEach(() => {
  ;({ terminal, page } = screens)
  terminal.state.answers[`POST /api/sales/${SALE.id}/offer-states`] = ok({ changing: 2 })
  terminal.state.answers[`POST /api/sales/${SALE.id}/offer-coupons`] = ok({ sale: SALE })
})
const show = async (offers: BasketOffers): Promise<void> => {
  says(offers)
  await screens.openSale()
  await place().waitFor()
}
const openPanel = async (): Promise<void> => {
  await page.keyboard.press('Control+f')
  await panel().getByRole('option').first().waitFor()
}

describe('the line under the basket', () => {
  test('keeps its place while items are scanned, whatever it says: nothing below or above it moves', async () => {
    await show(everything(english))
    const bar = page
      .getByRole('contentinfo')
      .or(page.getByRole('button', { name: 'Cancel sale' }))
      .last()
    const before = [await box(place()), await box(bar)]
    const answer = holdAnswer(`/api/sales/${SALE.id}/offers?locale=en-CA`)
    says(answerOf(everything(english).offers.slice(0, 1)))
    terminal.push({
      type: 'sale-changed',
      cause: 'scan',
      sale: saleOf([...SALE.lines, line(6)], { version: 4, member: SALE.member }),
    })
    await page
      .getByRole('row', { name: /Whole milk/ })
      .nth(1)
      .waitFor()
    await answer.asked
    expect([await box(place()), await box(bar)]).toEqual(before)
    answer.release()
    await page.getByText('Conditions met: 50 bonus miles').waitFor()
    expect([await box(place()), await box(bar)]).toEqual(before)
  })

  test('is not there where the program has no offer for the store', async () => {
    const answer = holdAnswer(`/api/sales/${SALE.id}/offers?locale=en-CA`)
    says(answerOf([]))
    await screens.openSale()
    await answer.asked
    answer.release()
    await page.keyboard.press('Control+f')
    await panel().getByText('No offers now').waitFor()
    expect(await page.getByText('Checking offers').count()).toBe(0)
    await page.keyboard.press('Escape')
    await panel().waitFor({ state: 'detached' })
    expect(await place().count()).toBe(0)
  })

  test('a scanned item is painted before its offers are asked for', async () => {
    await show(everything(english))
    // Looked at in the window itself: whoever looks from outside comes too late.
    const shown = await page.evaluateHandle(() => {
      const atQuestions: (string | undefined)[] = []
      const { fetch } = globalThis
      globalThis.fetch = (asked, ...more) => {
        const { url } = asked instanceof Request ? asked : { url: String(asked) }
        if (url.includes('/offers?')) atQuestions.push(document.querySelector('[role="grid"]')?.textContent)
        return fetch(asked, ...more)
      }
      return atQuestions
    })
    for (const version of [4, 5, 6])
      terminal.push({
        type: 'sale-changed',
        cause: 'scan',
        sale: saleOf([line(1, { quantity: version })], { version, member: SALE.member }),
      })
    await expect.poll(() => shown.jsonValue()).toEqual([expect.stringMatching(/^6Whole milk/)])
  })
})

describe('opting in to all that the basket would earn', () => {
  test('is one key of the sale screen once the member has signed in, and said until the program has it', async () => {
    terminal.state.answers['GET /api/member-session'] = ok({ offered: true, session: signedIn })
    await show(ofMember(english))
    await page.getByText('2 offers wait for an opt-in (+150 miles)').waitFor()
    await page.keyboard.press('Control+y')
    const changes = ofMember(english).optInAll?.offerIds.map((offerId) => ({ offerId, change: 'opt-in' }))
    await expect.poll(() => posted('/offer-states').map(({ body }) => body)).toEqual([{ changes }])
    says(optingIn(english))
    states()
    await page.getByText('Opting in…').waitFor()
    await page.keyboard.press('Control+y')
    says(refusedOne(english))
    states()
    await page.getByRole('alert').getByText('Offer is for chosen members.', { exact: false }).waitFor()
    expect(posted('/offer-states')).toHaveLength(1)
  })

  test('does nothing while nobody has signed in: the panel says how, and Ctrl+J begins it', async () => {
    terminal.state.answers[`POST /api/sales/${SALE.id}/member-session`] = ok({
      offered: true,
      session: { state: 'asking', saleId: SALE.id },
    })
    await show(everything(english))
    await page.keyboard.press('Control+y')
    await openPanel()
    await panel().getByText('the member signs in by phone', { exact: false }).waitFor()
    await page.keyboard.press('Control+j')
    await panel().waitFor({ state: 'detached' })
    await expect.poll(() => posted('/member-session')).toHaveLength(1)
    expect(posted('/offer-states')).toEqual([])
  })
})

describe('an opt-in that the program has not confirmed', () => {
  const unconfirmed = () => page.getByText('Opt-in not confirmed: 90 bonus miles, 60 bonus miles.', { exact: false })
  beforeEach(async () => {
    terminal.state.answers['GET /api/member-session'] = ok({ offered: true, session: signedIn })
    await show(optingIn(english))
    await page.getByText('Opting in…').waitFor()
  })

  test('is said when the sale ends first, and not to the next customer', async () => {
    terminal.push({
      type: 'sale-changed',
      cause: 'tender',
      sale: { ...SALE, version: 9, revision: 9, state: 'completed' },
    })
    await expect.poll(() => unconfirmed().count()).toBeGreaterThan(0)
    const next = saleOf([line(6)], { id: '01K9TRAINLANE02' as never, version: 1 })
    terminal.push({ type: 'sale-changed', cause: 'scan', sale: next })
    await expect.poll(() => unconfirmed().count()).toBe(0)
  })

  test('is said when the sign-in ends first', async () => {
    terminal.push({ type: 'member-session', session: { state: 'ended', saleId: SALE.id, why: 'token-expired' } })
    await expect.poll(() => unconfirmed().count()).toBeGreaterThan(0)
  })
})

describe('all offers', () => {
  test('are opened by one key and walked by the arrows; C applies the code of the marked one', async () => {
    await show(everything(english))
    await openPanel()
    await panel().getByText('Spend $80 or more on groceries', { exact: false }).waitFor()
    for (let step = 0; step < 3; step += 1) await page.keyboard.press('ArrowDown')
    await panel().getByText('Apply the code to meet the conditions: 30 bonus miles.').waitFor()
    await page.keyboard.press('c')
    await expect
      .poll(() => posted('/offer-coupons').map(({ body }) => body))
      .toEqual([{ version: SALE.version, offerId: everything(english).offers[3]?.id, applied: true }])
    await page.keyboard.press('Escape')
    await panel().waitFor({ state: 'detached' })
  })

  test('a code that is applied comes off by the same key', async () => {
    const offers = everything(english).offers.map((offer) => ({
      ...offer,
      coupon: offer.coupon === 'none' ? offer.coupon : ('applied' as const),
    }))
    await show(answerOf(offers.filter(({ coupon }) => coupon === 'applied')))
    await openPanel()
    await panel().getByText('Code applied').waitFor()
    await page.keyboard.press('c')
    await expect.poll(() => posted('/offer-coupons')[0]?.body).toMatchObject({ applied: false })
  })

  test('of a member are opted into and saved one by one; what is on its way waits for its answer', async () => {
    const before = ofMember(english)
    await show(before)
    await openPanel()
    says({ ...before, offers: before.offers.map((offer) => ({ ...offer, saved: false })) })
    await page.keyboard.press('s')
    await expect
      .poll(() => posted('/offer-states')[0]?.body)
      .toEqual({
        changes: [{ offerId: WINTER, change: 'unsave' }],
      })
    // With what it now says: it asks no more.
    await panel().getByRole('button', { name: 'Save for member', exact: true }).waitFor()
    await page.keyboard.press('ArrowDown')
    await panel().getByRole('button', { name: 'Opt in', exact: true }).waitFor()
    says(optingIn(english))
    await panel().getByRole('button', { name: 'Opt in', exact: true }).click()
    await expect
      .poll(() => posted('/offer-states')[1]?.body)
      .toEqual({
        changes: [{ offerId: COFFEE, change: 'opt-in' }],
      })
    const button = panel().getByRole('button', { name: 'Opting in…' })
    await button.waitFor()
    await button.click({ force: true })
    await page.keyboard.press('i')
    says(refusedOne(english))
    states()
    await panel().getByText('Offer is for chosen members. This member cannot use it.').waitFor()
    expect(posted('/offer-states').map(({ body }) => body)).toMatchObject([
      { changes: [{ change: 'unsave' }] },
      { changes: [{ change: 'opt-in' }] },
    ])
    await panel().getByRole('button', { name: 'Opt in', exact: true }).focus()
    says(optedIn(english))
    states()
    await panel().getByText('Opted in', { exact: true }).waitFor()
    await page.keyboard.press('Escape')
    await panel().waitFor({ state: 'detached' })
  })

  test('one that asks for an opt-in and its code promises nothing for either alone', async () => {
    await show(answerOf([waiting(english, 2, 90, { coupon: 'to-apply' })]))
    await openPanel()
    const detail = panel().getByRole('region', { name: '90 bonus miles' })
    await expect.poll(() => detail.innerText()).toContain('Needs an opt-in and its code.')
  })

  test('go with the sale: what stood there for one customer is not there for the next', async () => {
    await show(everything(english))
    await openPanel()
    terminal.push({
      type: 'sale-changed',
      cause: 'tender',
      sale: { ...SALE, version: 9, revision: 9, state: 'completed' },
    })
    await panel().waitFor({ state: 'detached' })
    expect(await place().count()).toBe(0)
  })
})

describe('the customer’s screen', () => {
  const cards = () => page.getByRole('region', { name: 'Your offers' }).getByRole('listitem')
  const session = (now: MemberSession | null): void => terminal.push({ type: 'member-session', session: now })
  beforeEach(async () => {
    says(everything(english))
    await page.goto(`${terminal.url}/customer`)
    await cards().first().waitFor()
  })

  test('shows two cards on a low window, three on a tall one, and nothing of who the member is', async () => {
    expect(await cards().evaluateAll((all) => all.filter((card) => card.checkVisibility()).length)).toBe(2)
    await page.setViewportSize({ width: 1920, height: 1080 })
    expect(await cards().evaluateAll((all) => all.filter((card) => card.checkVisibility()).length)).toBe(3)
    expect(await page.locator('main').innerText()).not.toContain('0011')
  })

  test('a low window keeps the best of each kind before a second of any', async () => {
    says(answerOf([earned(english), { ...waiting(english, 4, 60), standing: 'earned' }, waiting(english, 2, 90)]))
    states()
    await page.getByText('60 bonus miles').waitFor({ state: 'attached' })
    expect(await cards().allInnerTexts()).toEqual([
      expect.stringContaining('50 bonus miles'),
      expect.stringContaining('90 bonus miles'),
    ])
  })

  test('a save on its way is none of its words', async () => {
    terminal.push({ type: 'member-session', session: signedIn })
    says(answerOf([earned(english, { changing: 'save' })], { member: { state: 'ready', optedIn: 3, changing: 1 } }))
    states()
    await page.getByText('3 offers opted into').waitFor()
    expect(await page.getByText('Opting in…').count()).toBe(0)
  })

  test('the cards give way to the code that a phone is to read, and come back with the badge', async () => {
    session({
      state: 'waiting',
      saleId: SALE.id,
      userCode: 'WDJB-MJHT',
      page: 'https://miles.example/device',
      pageWithCode: 'https://miles.example/device?user_code=WDJB-MJHT',
      expiresAt: '2026-11-21T14:13:00.000Z',
    })
    await page.getByText('WDJB-MJHT').waitFor()
    expect(await cards().count()).toBe(0)
    says(optingIn(english))
    session(signedIn)
    await cards().filter({ hasText: 'Opting in…' }).first().waitFor()
    says(ofMember(english))
    states()
    await page.getByText('4 offers opted into').waitFor()
  })
})
