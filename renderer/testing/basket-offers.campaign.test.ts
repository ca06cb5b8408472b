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

const SALE = withMember()
const screens = useBuiltScreens(() => ({ signedIn: ALEX, sale: SALE }), { viewport: { width: 1024, height: 600 } })
const { holdAnswer, posted } = screens
let terminal: FixtureTerminal
let page: Page

const english = (text: string): string => text
const OFFERS = `GET /api/sales/${SALE.id}/offers`
const signedIn: MemberSession = { state: 'signed-in', saleId: SALE.id, at: '2026-11-21T14:03:12.000Z' }
const setOffers = (offers: BasketOffers): void => {
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
  setOffers(offers)
  await screens.openSale()
  await place().waitFor()
}
const openPanel = async (): Promise<void> => {
  await page.keyboard.press('Control+f')
  await panel().getByRole('option').first().waitFor()
}

describe('the offer line under the basket', () => {
  test('keeps its place for every text while items are scanned, and moves nothing around it', async () => {
    await show(everything(english))
    const bar = page
      .getByRole('contentinfo')
      .or(page.getByRole('button', { name: 'Cancel sale' }))
      .last()
    const before = [await box(place()), await box(bar)]
    const answer = holdAnswer(`/api/sales/${SALE.id}/offers?locale=en-CA`)
    setOffers(answerOf(everything(english).offers.slice(0, 1)))
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

  test('is hidden where the program has no offer for the store', async () => {
    const answer = holdAnswer(`/api/sales/${SALE.id}/offers?locale=en-CA`)
    setOffers(answerOf([]))
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

  test('shows a scanned item before the window requests the offers', async () => {
    await show(everything(english))
    // Measured inside the window, because a check from outside would be too late.
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

describe('opting in to all offers that the basket would earn', () => {
  test('takes one key on the sale screen after the member’s sign-in, and is shown as pending at first', async () => {
    terminal.state.answers['GET /api/member-session'] = ok({ offered: true, session: signedIn })
    await show(ofMember(english))
    await page.getByText('2 offers wait for an opt-in (+150 miles)').waitFor()
    await page.keyboard.press('Control+y')
    const changes = ofMember(english).optInAll?.offerIds.map((offerId) => ({ offerId, change: 'opt-in' }))
    await expect.poll(() => posted('/offer-states').map(({ body }) => body)).toEqual([{ changes }])
    setOffers(optingIn(english))
    states()
    await page.getByText('Opting in…').waitFor()
    await page.keyboard.press('Control+y')
    setOffers(refusedOne(english))
    states()
    await page.getByRole('alert').getByText('Offer is for chosen members.', { exact: false }).waitFor()
    expect(posted('/offer-states')).toHaveLength(1)
  })

  test('does nothing without a member’s sign-in: the panel explains it, and Ctrl+J starts one', async () => {
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

  test('is reported when the sale ends before the confirmation, and not to the next customer', async () => {
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

  test('is reported when the member’s sign-in ends before the confirmation', async () => {
    terminal.push({ type: 'member-session', session: { state: 'ended', saleId: SALE.id, why: 'token-expired' } })
    await expect.poll(() => unconfirmed().count()).toBeGreaterThan(0)
  })
})

describe('the dialog of all offers', () => {
  test('opens by one key and is navigated by arrows; the C key applies the code of the selected offer', async () => {
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

  test('removes an applied code by the key that applied it', async () => {
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

  test('sends each opt-in and each change of a saved offer alone, and ignores presses until the answer', async () => {
    const before = ofMember(english)
    await show(before)
    await openPanel()
    setOffers({ ...before, offers: before.offers.map((offer) => ({ ...offer, saved: false })) })
    await page.keyboard.press('s')
    await expect
      .poll(() => posted('/offer-states')[0]?.body)
      .toEqual({
        changes: [{ offerId: WINTER, change: 'unsave' }],
      })
    // The button has its text for an offer that is not saved, so the change is complete.
    await panel().getByRole('button', { name: 'Save for member', exact: true }).waitFor()
    await page.keyboard.press('ArrowDown')
    await panel().getByRole('button', { name: 'Opt in', exact: true }).waitFor()
    setOffers(optingIn(english))
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
    setOffers(refusedOne(english))
    states()
    await panel().getByText('Offer is for chosen members. This member cannot use it.').waitFor()
    expect(posted('/offer-states').map(({ body }) => body)).toMatchObject([
      { changes: [{ change: 'unsave' }] },
      { changes: [{ change: 'opt-in' }] },
    ])
    await panel().getByRole('button', { name: 'Opt in', exact: true }).focus()
    setOffers(optedIn(english))
    states()
    await panel().getByText('Opted in', { exact: true }).waitFor()
    await page.keyboard.press('Escape')
    await panel().waitFor({ state: 'detached' })
  })

  test('does not state that an opt-in or a code alone is enough where an offer needs both', async () => {
    await show(answerOf([waiting(english, 2, 90, { coupon: 'to-apply' })]))
    await openPanel()
    const detail = panel().getByRole('region', { name: '90 bonus miles' })
    await expect.poll(() => detail.innerText()).toContain('Needs an opt-in and its code.')
  })

  test('closes with the sale, so that the next customer does not see the offers', async () => {
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

describe('the customer display', () => {
  const cards = () => page.getByRole('region', { name: 'Your offers' }).getByRole('listitem')
  const session = (now: MemberSession | null): void => terminal.push({ type: 'member-session', session: now })
  beforeEach(async () => {
    setOffers(everything(english))
    await page.goto(`${terminal.url}/customer`)
    await cards().first().waitFor()
  })

  test('shows two offer cards in a low window, three in a tall one, and no member data', async () => {
    expect(await cards().evaluateAll((all) => all.filter((card) => card.checkVisibility()).length)).toBe(2)
    await page.setViewportSize({ width: 1920, height: 1080 })
    expect(await cards().evaluateAll((all) => all.filter((card) => card.checkVisibility()).length)).toBe(3)
    expect(await page.locator('main').innerText()).not.toContain('0011')
  })

  test('shows the best offer of each kind before a second of any in a low window', async () => {
    setOffers(answerOf([earned(english), { ...waiting(english, 4, 60), standing: 'earned' }, waiting(english, 2, 90)]))
    states()
    await page.getByText('60 bonus miles').waitFor({ state: 'attached' })
    expect(await cards().allInnerTexts()).toEqual([
      expect.stringContaining('50 bonus miles'),
      expect.stringContaining('90 bonus miles'),
    ])
  })

  test('shows no text for a pending save of an offer', async () => {
    terminal.push({ type: 'member-session', session: signedIn })
    setOffers(
      answerOf([earned(english, { changing: 'save' })], { member: { state: 'ready', optedIn: 3, changing: 1 } }),
    )
    states()
    await page.getByText('3 offers opted into').waitFor()
    expect(await page.getByText('Opting in…').count()).toBe(0)
  })

  test('hides the offer cards while it shows a sign-in code, and shows them again after the sign-in', async () => {
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
    setOffers(optingIn(english))
    session(signedIn)
    await cards().filter({ hasText: 'Opting in…' }).first().waitFor()
    setOffers(ofMember(english))
    states()
    await page.getByText('4 offers opted into').waitFor()
  })
})
