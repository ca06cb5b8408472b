import Database from 'better-sqlite3'
import { afterAll, expect, test } from 'vitest'
import { BasketOffers } from '../../../../contracts/loyalty/basket-offers.ts'
import { OFFER_STATE_PATHS } from '../../../../contracts/central/offer-state.ts'
import { createOfferStateClient } from '../../../../backend/loyalty/services/offer-state.ts'
import { signInByPhone } from '../phone.ts'
import { contextTo } from '../services-transport.ts'
import { TerminalGoneError, type Window } from '../../rig/window.ts'
import { prepareLane, type CrashingLane, type CrashPoint } from './lane.ts'
import { ITEMS, openShop, type Collector } from './crash-store.ts'

const STEPS = /offer-state|state-writer/

const shop = await openShop({ collectors: 60 })
const lane = prepareLane(shop, 'lane')
afterAll(async () => {
  await lane.stop()
  await shop.close()
})

interface Wish {
  readonly collector: Collector
  saleId: string
  offerIds: readonly string[]
}

const recording = (window: Window) => ({ ...window, events: () => window.events() })

async function offersOnce(
  window: Window,
  saleId: string,
  fits: (offers: BasketOffers) => boolean,
): Promise<BasketOffers> {
  for (;;) {
    const eventCount = window.events().length
    const { body } = await window.call('GET', `/api/sales/${saleId}/offers?locale=en-CA`)
    const offers = BasketOffers.parse(body)
    if (fits(offers)) return offers
    if (window.events().length === eventCount) await window.next()
  }
}

async function begin(window: Window): Promise<Wish> {
  const collector = shop.newCollector()
  const { id: saleId } = await window.swipe(collector.cardId)
  await window.call('POST', '/api/sales/current/lines', { sku: ITEMS.partial, quantity: 1 })
  await signInByPhone(recording(window), saleId, collector.number)
  const { offers } = await offersOnce(window, saleId, ({ member }) => member?.state === 'ready')
  return { collector, saleId, offerIds: offers.slice(0, 2).map(({ id }) => id) }
}

const ask = (window: Window, { saleId, offerIds }: Wish) =>
  window.call('POST', `/api/sales/${saleId}/offer-states`, {
    changes: offerIds.map((offerId) => ({ offerId, change: 'save' })),
  })

const untilSaved = (window: Window, { saleId, offerIds }: Wish): Promise<BasketOffers> =>
  offersOnce(
    window,
    saleId,
    ({ member, offers }) =>
      member?.state === 'ready' && offerIds.every((id) => offers.some((offer) => offer.id === id && offer.saved)),
  )

async function cancel(window: Window): Promise<void> {
  const sale = await window.current()
  if (sale) await window.call('POST', `/api/sales/${sale.id}/cancel`, { version: sale.version })
}

async function savedStates({ collector, offerIds }: Wish): Promise<string[]> {
  const client = createOfferStateClient(contextTo(shop.central))
  const memberToken = await shop.central.memberToken(collector.number)
  const found = await client.get({ offerId: [...offerIds] }, { memberToken })
  if (found.kind === 'failed') throw new Error(found.cause)
  return found.body.records.flatMap(({ states }) => states.map(({ value, updatedAt }) => `${value} ${updatedAt}`))
}

function states({ saleId }: Wish): string[] {
  const db = new Database(`${lane.data}/terminal.db`, { readonly: true })
  try {
    return db
      .prepare<[string], string>("SELECT state FROM operation WHERE kind = 'offer-state' AND sale_id = ?")
      .pluck()
      .all(saleId)
  } finally {
    db.close()
  }
}

async function crashDuringChange(crashing: CrashingLane, crashPoint: CrashPoint, wish: Wish): Promise<void> {
  crashing.crashAt(crashPoint)
  const crashed = crashing.crashed()
  await ask(crashing.window, wish)
    .then(() => untilSaved(crashing.window, wish))
    .then(
      () => {
        throw new Error(`“${crashPoint.step}” was not passed`)
      },
      (error: unknown) => {
        if (!(error instanceof TerminalGoneError)) throw error
      },
    )
  await crashed
  crashing.crashAt(null)
}

await lane.start()
lane.clearSteps()
const rehearsal = await begin(lane.window)
await ask(lane.window, rehearsal)
await untilSaved(lane.window, rehearsal)
const steps = [...new Set(lane.steps().filter((step) => STEPS.test(step)))]
await cancel(lane.window)

test('two offers of one request are saved by one call when the lane is not killed', async () => {
  expect(states(rehearsal)).toEqual(['confirmed'])
  expect(await savedStates(rehearsal)).toHaveLength(2)
  expect(steps).toEqual(
    expect.arrayContaining([
      'after commit: offer-state →queued',
      'after commit: offer-state queued→sent',
      'before send: offers/state-writer/v1/put',
      'before the answer: offers/state-writer/v1/put',
      'after commit: offer-state sent→confirmed',
    ]),
  )
})

test.each(steps)(
  'two offers are saved once, after the member signs in again, although the lane is killed at the step “%s”',
  async (step) => {
    const wish = await begin(lane.window)
    const before = (await shop.central.requests(OFFER_STATE_PATHS.put)).length
    await crashDuringChange(lane, { step, occurrence: 1 }, wish)
    const savedAtCrash = await savedStates(wish)
    await lane.start()
    await signInByPhone(recording(lane.window), wish.saleId, wish.collector.number)
    // The request was not committed before the kill: the cashier sees that the offers are not saved, and repeats it.
    if (states(wish).length === 0) await ask(lane.window, wish)
    await untilSaved(lane.window, wish)
    expect(states(wish)).toEqual(['confirmed'])
    const after = await savedStates(wish)
    expect(after).toHaveLength(2)
    // Changes that the service made before the kill still have their time, so they were not made again.
    expect(after).toEqual(expect.arrayContaining(savedAtCrash))
    const sent = (await shop.central.requests(OFFER_STATE_PATHS.put)).slice(before)
    expect(new Set(sent.map(({ sha256 }) => sha256)).size).toBe(1)
    await cancel(lane.window)
  },
)

test('an offer change lapses without effect if the lane is killed before sending and the sale ends', async () => {
  const wish = await begin(lane.window)
  await crashDuringChange(lane, { step: 'after commit: offer-state →queued', occurrence: 1 }, wish)
  await lane.start()
  await cancel(lane.window)
  expect(states(wish)).toEqual(['lapsed'])
  expect(await savedStates(wish)).toEqual([])
})
