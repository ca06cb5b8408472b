import { expect, test } from 'vitest'
import { BasketOffers, type BasketOffer, type OfferChange } from '../../../contracts/loyalty/basket-offers.ts'
import { OFFER_PATHS } from '../../../contracts/central/offers.ts'
import { OFFER_STATE_PATHS } from '../../../contracts/central/offer-state.ts'
import { createOfferStateClient } from '../services/offer-state.ts'
import { contextTo } from '../../../packages/lab/testing/services-transport.ts'
import { useCentral } from '../../../packages/lab/testing/central.ts'
import { signInByPhone } from '../../../packages/lab/testing/phone.ts'
import { openTerminalHarness, type TerminalHarness } from '../../../packages/lab/testing/terminal-harness.ts'

const central = useCentral()
const MEMBERS = {
  fine: '80000000011',
  suppressed: '80000000022',
  'no-redeem': '80000000044',
  poor: '80000000055',
  'near-limit': '80000000066',
  special: '80000000077',
} as const
type Card = keyof typeof MEMBERS
const OPT_IN = { offerId: 'c0ffee00-0000-4000-8000-000000000002', miles: 100 } as const
const isOptIn = ({ id }: BasketOffer): boolean => id === OPT_IN.offerId

async function signedIn(harness: TerminalHarness, card: Card): Promise<string> {
  await harness.ring('1021')
  const { id } = await harness.swipe(card)
  await signIn(harness, id, card)
  return id
}

const signIn = (harness: TerminalHarness, saleId: string, card: Card): Promise<void> =>
  signInByPhone(harness, saleId, MEMBERS[card])

const offersOf = async (harness: TerminalHarness, saleId: string): Promise<BasketOffers> =>
  BasketOffers.parse((await harness.call('GET', `/api/sales/${saleId}/offers?locale=en-CA`)).body)

async function offersOnce(
  harness: TerminalHarness,
  saleId: string,
  fits: (offers: BasketOffers) => boolean,
): Promise<BasketOffers> {
  for (;;) {
    const eventsBefore = harness.events().length
    const offers = await offersOf(harness, saleId)
    if (fits(offers)) return offers
    if (harness.events().length === eventsBefore) await harness.next()
  }
}

const notSaved = ({ offers }: BasketOffers): string[] =>
  offers.flatMap(({ id, saved, targeted }) => (saved || targeted ? [] : [id]))
const isReady = ({ member }: BasketOffers): boolean => member?.state === 'ready'
const one = ({ offers }: BasketOffers, id: string): BasketOffer | undefined => offers.find((offer) => offer.id === id)
const change = (harness: TerminalHarness, saleId: string, ...changes: { offerId: string; change: OfferChange }[]) =>
  harness.call('POST', `/api/sales/${saleId}/offer-states`, { changes })

test('an opt-in and a saved offer are confirmed and shown, and repeating the opt-in changes nothing', async () => {
  const harness = await openTerminalHarness(central)
  const saleId = await signedIn(harness, 'fine')
  const before = await offersOnce(harness, saleId, isReady)
  const [first] = before.offers.filter(({ optIn }) => optIn === 'to-do')
  expect(first).toBeDefined()
  const offerId = first?.id ?? ''
  const asked = await change(harness, saleId, { offerId, change: 'opt-in' }, { offerId, change: 'save' })
  expect(asked.status).toBe(200)
  const after = await offersOnce(harness, saleId, (offers) => one(offers, offerId)?.optIn === 'done')
  expect(one(after, offerId)).toMatchObject({ optIn: 'done', refused: null })
  const saved = await offersOnce(harness, saleId, (offers) => offers.member?.changing === 0)
  expect(one(saved, offerId)).toMatchObject({ saved: true, changing: null })
  expect(saved.member?.optedIn).toBe((before.member?.optedIn ?? 0) + 1)
  expect((await change(harness, saleId, { offerId, change: 'opt-in' })).body).toEqual({ changing: 0 })
})

const hasNoPendingChange = ({ member }: BasketOffers): boolean => member?.changing === 0
const ends = (harness: TerminalHarness): string[] =>
  harness.operations().flatMap(({ type, state }) => (type === 'offer-state' ? [state] : []))

async function statesAtProgram(card: Card, ...offerIds: string[]): Promise<string[]> {
  const client = createOfferStateClient(contextTo(central))
  const found = await client.get({ offerId: offerIds }, { memberToken: await central.memberToken(MEMBERS[card]) })
  if (found.kind === 'failed') throw new Error(found.cause)
  return found.body.records.flatMap(({ states }) => states.map(({ value }) => value))
}

test('changes of several offers are sent in one atomic call, and separately after that call was refused', async () => {
  const harness = await openTerminalHarness(central)
  const saleId = await signedIn(harness, 'suppressed')
  const ids = notSaved(await offersOnce(harness, saleId, isReady)).slice(0, 3)
  expect(ids).toHaveLength(3)
  await central.faults({ path: OFFER_STATE_PATHS.put, action: { kind: 'answer', status: 404, body: {} } })
  const [refused = '', ...taken] = ids
  const refusedPath = `${OFFER_PATHS.list}/${refused}/states`
  await central.faults({
    path: refusedPath,
    action: { kind: 'answer', status: 404, body: { errors: [{ errorCode: 'err-exclusive', message: 'no' }] } },
  })
  await change(harness, saleId, ...ids.map((offerId) => ({ offerId, change: 'save' }) as const))
  const after = await offersOnce(harness, saleId, hasNoPendingChange)
  expect(one(after, refused)?.refusedReference).toMatch(/^[0-9a-f-]{36}$/)
  expect(ids.map((id) => [one(after, id)?.saved, one(after, id)?.refused])).toEqual([
    [false, 'exclusive'],
    [true, null],
    [true, null],
  ])
  expect(ends(harness)).toEqual(['refused', 'refused', 'confirmed', 'confirmed'])
  expect(await statesAtProgram('suppressed', ...taken)).toEqual(['SAVED', 'SAVED'])
  expect(await central.requests(OFFER_STATE_PATHS.put)).toHaveLength(1)
})

test('a change of an offer is sent again with the same bytes after a lost answer, and stored once', async () => {
  const harness = await openTerminalHarness(central)
  const saleId = await signedIn(harness, 'no-redeem')
  const [offerId = '', other = ''] = notSaved(await offersOnce(harness, saleId, isReady))
  await central.faults({ path: OFFER_STATE_PATHS.put, times: 1, action: { kind: 'drop-after' } })
  await change(harness, saleId, { offerId, change: 'save' }, { offerId: other, change: 'save' })
  await offersOnce(harness, saleId, (offers) => one(offers, offerId)?.saved === true)
  const sent = await central.requests(OFFER_STATE_PATHS.put)
  expect(sent.map(({ sha256 }) => sha256)).toEqual([sent[0]?.sha256, sent[0]?.sha256])
  expect(new Set(sent.map(({ headers }) => headers['x-correlation-id'])).size).toBe(1)
  expect(await statesAtProgram('no-redeem', offerId)).toEqual(['SAVED'])
  expect(ends(harness)).toEqual(['confirmed'])
})

test('a change of an offer in flight lapses when its sale is cancelled', async () => {
  const harness = await openTerminalHarness(central)
  const saleId = await signedIn(harness, 'poor')
  const [offerId = ''] = notSaved(await offersOnce(harness, saleId, isReady))
  const path = `${OFFER_PATHS.list}/${offerId}/states`
  await central.faults({ path, action: { kind: 'hang-before' } })
  await change(harness, saleId, { offerId, change: 'save' })
  await central.reached(path, 1)
  const sale = await harness.current()
  await harness.call('POST', `/api/sales/${saleId}/cancel`, { version: sale?.version ?? 0 })
  await harness.untilOperation('offer-state', 'lapsed')
  expect(ends(harness)).toEqual(['lapsed'])
  expect((await harness.call('GET', '/api/queue/summary')).body).toMatchObject({ waiting: 0, sending: 0 })
})

test('a change of an offer is stored after a refused token, and sent when the member has signed in again', async () => {
  const harness = await openTerminalHarness(central)
  const saleId = await signedIn(harness, 'near-limit')
  const [offerId = ''] = notSaved(await offersOnce(harness, saleId, isReady))
  const path = `${OFFER_PATHS.list}/${offerId}/states`
  await central.faults({ path, times: 1, action: { kind: 'answer', status: 401, body: {} } })
  await change(harness, saleId, { offerId, change: 'save' })
  const signedOut = await offersOnce(harness, saleId, ({ member }) => member === null)
  expect(one(signedOut, offerId)).toMatchObject({ changing: 'save', saved: false })
  expect(
    await harness.refused('POST', `/api/sales/${saleId}/offer-states`, { changes: [{ offerId, change: 'save' }] }),
  ).toBe('member-sign-in-needed')
  await signIn(harness, saleId, 'near-limit')
  await offersOnce(harness, saleId, (offers) => one(offers, offerId)?.saved === true)
  expect(ends(harness)).toEqual(['confirmed'])
})

test('a change of an offer is stored over a restart until the member signs in again', async () => {
  const first = await openTerminalHarness(central)
  const saleId = await signedIn(first, 'special')
  const [offerId = '', other = ''] = notSaved(await offersOnce(first, saleId, isReady))
  await central.faults({ path: `${OFFER_PATHS.list}/${offerId}/states`, times: 9, action: { kind: 'outage' } })
  await change(first, saleId, { offerId, change: 'save' })
  await change(first, saleId, { offerId: other, change: 'save' })
  await central.reached(`${OFFER_PATHS.list}/${offerId}/states`, 1)
  await first.close()
  await central.clearFaults()
  const second = await openTerminalHarness(central, { folder: first.folder, windowKey: first.windowKey })
  const waiting = await offersOf(second, saleId)
  expect(waiting.member).toBeNull()
  expect([offerId, other].map((id) => one(waiting, id)?.changing)).toEqual(['save', 'save'])
  await signIn(second, saleId, 'special')
  await offersOnce(second, saleId, (offers) => hasNoPendingChange(offers) && one(offers, other)?.saved === true)
  expect(ends(second)).toEqual(['confirmed', 'confirmed'])
})

test('no change of an offer is recorded without a sign-in, for an unknown offer, or for a closed sale', async () => {
  const harness = await openTerminalHarness(central)
  await harness.ring('1021')
  const { id } = await harness.swipe('fine')
  const [offerId = ''] = notSaved(await offersOnce(harness, id, ({ offers }) => offers.length > 0))
  const refused = (saleId: string, wanted: string): Promise<string> =>
    harness.refused('POST', `/api/sales/${saleId}/offer-states`, { changes: [{ offerId: wanted, change: 'save' }] })
  expect(await refused(id, offerId)).toBe('member-sign-in-needed')
  await signIn(harness, id, 'fine')
  expect(await refused(id, '00000000-0000-4000-8000-000000000000')).toBe('offer-gone')
  const sale = await harness.current()
  await harness.call('POST', `/api/sales/${id}/cancel`, { version: sale?.version ?? 0 })
  expect(await refused(id, offerId)).toBe('sale-not-open')
  expect(ends(harness)).toEqual([])
})

test('after an opt-in the preview of miles is requested again, and the sale earns the offer', async () => {
  const harness = await openTerminalHarness(central)
  const { id } = await harness.ring('1010', 2)
  await harness.swipe('suppressed')
  const before = await harness.reached(({ milesPreview }) => milesPreview !== null)
  const offered = await offersOnce(harness, id, ({ offers }) => offers.some(isOptIn))
  expect(offered.offers.find(isOptIn)).toMatchObject({
    standing: 'opt-in-first',
    optIn: 'to-do',
    reached: { miles: OPT_IN.miles },
  })
  expect(offered.optInAll).toBeNull()
  await signIn(harness, id, 'suppressed')
  const { optInAll } = await offersOnce(harness, id, isReady)
  expect(optInAll).toEqual({ offerIds: [OPT_IN.offerId], miles: OPT_IN.miles })
  await change(harness, id, ...(optInAll?.offerIds ?? []).map((offerId) => ({ offerId, change: 'opt-in' }) as const))
  const after = await offersOnce(harness, id, (offers) => offers.offers.find(isOptIn)?.standing === 'earned')
  expect(after.optInAll).toBeNull()
  const miles = (before.milesPreview ?? 0) + OPT_IN.miles
  const { version, totals } = await harness.reached(({ milesPreview }) => milesPreview === miles)
  await harness.call('POST', `/api/sales/${id}/tenders`, { kind: 'cash', version, tenderedCents: totals.cashDueCents })
  expect(await harness.untilOperation('issue', 'confirmed')).toMatchObject({ miles })
  expect(harness.read(`SELECT said FROM sale_offer WHERE offer_id = '${OPT_IN.offerId}'`)).toEqual([{ said: 'earned' }])
})

test('a change of an offer is not sent again or shown after an undo has restored another collector', async () => {
  const harness = await openTerminalHarness(central)
  await harness.ring('1021')
  await harness.swipe('poor')
  const { id: saleId } = await harness.swipe('special')
  await signIn(harness, saleId, 'special')
  const [refused = '', offerId = ''] = notSaved(await offersOnce(harness, saleId, isReady))
  await central.faults({
    path: `${OFFER_PATHS.list}/${refused}/states`,
    action: { kind: 'answer', status: 404, body: {} },
  })
  await change(harness, saleId, { offerId: refused, change: 'save' })
  await offersOnce(harness, saleId, (offers) => one(offers, refused)?.refused === 'not-found')
  const path = `${OFFER_PATHS.list}/${offerId}/states`
  await central.faults({ path, times: 1, action: { kind: 'outage' } })
  await change(harness, saleId, { offerId, change: 'save' })
  await harness.untilOperation('offer-state', 'queued')
  const sale = await harness.current()
  expect((await harness.call('POST', `/api/sales/${saleId}/undo`, { version: sale?.version })).status).toBe(200)
  expect(one(await offersOf(harness, saleId), refused)?.refused).toBeNull()
  await signIn(harness, saleId, 'poor')
  const theirs = await offersOnce(harness, saleId, isReady)
  expect([refused, offerId].map((id) => [one(theirs, id)?.changing, one(theirs, id)?.refused])).toEqual([
    [null, null],
    [null, null],
  ])
  await harness.untilOperation('offer-state', 'lapsed')
  expect(await central.requests(path)).toHaveLength(1)
  expect(await statesAtProgram('poor', offerId)).toEqual([])
})

test('an unsent change of an offer is stored for a held sale, and sent after resuming and a new sign-in', async () => {
  const harness = await openTerminalHarness(central)
  const saleId = await signedIn(harness, 'near-limit')
  const [offerId = ''] = notSaved(await offersOnce(harness, saleId, isReady))
  await central.faults({ path: `${OFFER_PATHS.list}/${offerId}/states`, times: 1, action: { kind: 'outage' } })
  await change(harness, saleId, { offerId, change: 'save' })
  await harness.untilOperation('offer-state', 'queued')
  const version = async (): Promise<number> => (await harness.current())?.version ?? 0
  const held = await harness.call('POST', `/api/sales/${saleId}/hold`, { version: await version() })
  const { id: another } = await harness.ring('1021')
  await harness.call('POST', `/api/sales/${another}/cancel`, { version: await version() })
  expect(ends(harness)).toEqual(['queued'])
  const resumed = await harness.call('POST', `/api/sales/${saleId}/resume`, { version: held.body.sale.version })
  expect(resumed.status).toBe(200)
  await signIn(harness, saleId, 'near-limit')
  await offersOnce(harness, saleId, (offers) => one(offers, offerId)?.saved === true)
  expect(ends(harness)).toEqual(['confirmed'])
})

test('the last of contradictory changes of an offer in one request is applied', async () => {
  const harness = await openTerminalHarness(central)
  const saleId = await signedIn(harness, 'fine')
  const [offerId = '', other = ''] = notSaved(await offersOnce(harness, saleId, isReady))
  await change(harness, saleId, { offerId, change: 'save' })
  await offersOnce(harness, saleId, (offers) => one(offers, offerId)?.saved === true)
  await change(
    harness,
    saleId,
    { offerId, change: 'unsave' },
    { offerId, change: 'save' },
    { offerId: other, change: 'save' },
  )
  const after = await offersOnce(
    harness,
    saleId,
    (offers) => hasNoPendingChange(offers) && one(offers, other)?.saved === true,
  )
  expect(one(after, offerId)?.saved).toBe(true)
  expect(await statesAtProgram('fine', offerId)).toContain('SAVED')
})

test('after a 403 for one change of an offer the member stays signed in, and the change is refused', async () => {
  await central.faults({ path: OFFER_STATE_PATHS.find, action: { kind: 'answer', status: 403, body: {} } })
  const harness = await openTerminalHarness(central)
  const saleId = await signedIn(harness, 'poor')
  const before = await offersOnce(harness, saleId, ({ member }) => member?.state === 'failed')
  const [offerId = ''] = notSaved(before)
  const path = `${OFFER_PATHS.list}/${offerId}/states`
  await central.faults({ path, action: { kind: 'answer', status: 403, body: {} } })
  await change(harness, saleId, { offerId, change: 'save' })
  const after = await offersOnce(harness, saleId, (offers) => one(offers, offerId)?.refused === 'other')
  expect(after.member).not.toBeNull()
  expect(ends(harness)).toEqual(['refused'])
})
