import type { Page } from '@playwright/test'
import { HISTORY_PATHS } from '../contracts/central/history.ts'
import { OFFER_PATHS } from '../contracts/central/offers.ts'
import type { MemberSessionNow } from '../contracts/loyalty/member.ts'
import { watchHeap } from './heap.ts'
import { memberCodes, memberTokens, PATHS } from './central.ts'
import { CASHIER } from './lane.ts'
import { cannotReadCodes, openPhone, readCode, signInOnPhone } from './phone.ts'
import { signIn } from './sign-in.ts'
import { COLLECTORS, ean13, expect, ITEMS, test, track2, type Store } from './store.ts'
import { headersOf, openDisplay, readAs } from './windows.ts'

/** Offer in the reference services' seed: two bags of coffee, for members who opt in. */
const OFFER = 'c0ffee00-0000-4000-8000-000000000002'
const heap = watchHeap()
test.skip(cannotReadCodes !== null, cannotReadCodes ?? '')
// The test takes several heap snapshots of the program, which need seconds each on a busy machine.
test.slow()
test.use({
  profile: { offers: { matches: [{ id: OFFER, skus: ['1010'] }] } },
  environment: heap.environment,
})

async function screenHolds(screen: Page): Promise<string> {
  const ofPage = await screen.evaluate<string>(
    `caches.keys().then((names) => JSON.stringify([names, { ...sessionStorage }, history.state]))`,
  )
  const ofOrigin = await screen.context().storageState({ indexedDB: true })
  return [screen.url(), await screen.content(), ofPage, JSON.stringify(ofOrigin)].join('\n')
}

/**
 * Records the events that the lane sends to this window from now on. `replayed` reconnects and returns the events that
 * the lane sends again.
 */
async function listenTo(screen: Page) {
  const shown = JSON.stringify(headersOf(screen))
  await screen.evaluate(`
    globalThis.received = ''
    globalThis.listen = async (headers, onText) => {
      const { body } = await fetch('/api/events', { headers })
      const reader = body.pipeThrough(new TextDecoderStream()).getReader()
      for (let read = await reader.read(); !read.done && onText(read.value); read = await reader.read());
      await reader.cancel()
    }
    void listen(${shown}, (text) => { received += text; return true })`)
  await expect.poll(() => screen.evaluate<string>('received')).toContain('resync')
  return {
    received: () => screen.evaluate<string>('received'),
    replayed: () =>
      screen.evaluate<string>(`(async () => {
        const ids = received.match(/^id: .*$/gm)
        let again = ''
        await listen({ ...${shown}, 'last-event-id': ids[0].slice(4) }, (text) => !(again += text).includes(ids.at(-1)))
        return again
      })()`),
  }
}

async function ringCoffee(window: Page, { scanner, reader }: Store): Promise<void> {
  for (let bag = 0; bag < 2; bag += 1) await scanner.send(ean13(ITEMS.coffee.code))
  await reader.send(track2(COLLECTORS.fine))
  await expect(window.getByRole('button', { name: 'Redeem $20.00' })).toBeEnabled()
}

async function pay(window: Page): Promise<void> {
  await window.keyboard.press('F9')
  await expect(window.getByRole('heading', { name: 'Sale complete' })).toBeVisible()
}

async function nextCustomer(window: Page): Promise<void> {
  await window.keyboard.press('Enter')
  await expect(window.getByRole('heading', { name: 'Ready for the next customer' })).toBeVisible()
}

interface Secrets {
  readonly token: string
  readonly deviceCode: string
  readonly userCode: string
}

async function signInByPhone(window: Page, display: Page, { central, printer }: Store): Promise<Secrets> {
  await window.keyboard.press('Control+j')
  const address = await readCode(display.getByRole('img', { name: 'Scan with your phone' }))
  const userCode = new URL(address).searchParams.get('user_code') ?? ''
  await expect(window.getByText('Code on display:')).toBeVisible()
  const papers = printer.documents().length
  await window.keyboard.press('Control+u')
  expect((await printer.printed(papers + 1)).at(-1)).toContain(userCode)
  const browser = window.context().browser()
  if (!browser) throw new Error('the window has no browser')
  await signInOnPhone(await openPhone(browser, address), COLLECTORS.fine)
  await expect(window.getByText('Signed in by phone')).toBeVisible()
  const [{ deviceCode } = { deviceCode: '' }] = memberCodes(central)
  const [token = ''] = memberTokens(central)
  expect([userCode, deviceCode, token].map(({ length }) => length > 7)).toEqual([true, true, true])
  return { token, deviceCode, userCode }
}

async function useSignIn(window: Page, display: Page): Promise<void> {
  const line = window.getByRole('group', { name: 'Offers' })
  await expect(line.getByRole('button', { name: 'Opt in' })).toBeVisible()
  await window.keyboard.press('Control+y')
  await expect(line).toContainText('Conditions met: 100 bonus miles')
  await window.keyboard.press('Control+h')
  await expect(window.getByRole('table', { name: 'Miles history' })).toBeVisible()
  await expect(display.getByText('Your last transactions')).toBeVisible()
  await window.keyboard.press('Escape')
  await expect(display.getByText('You are signed in')).toBeVisible()
}

/**
 * Expects the lane to forget the secret. After the sale it keeps the token for less than a second, to revoke it at the
 * provider.
 */
const forgotten = (lane: Store['lane'], secret: string): Promise<void> =>
  expect
    .poll(async () => (await heap.textsWith(lane.process.child, [secret], () => fetch(lane.url)))[0], {
      message: 'in memory',
      // A heap snapshot takes seconds on a busy machine.
      timeout: 60_000,
    })
    .toEqual([])

test('after a sale, no secret of its signed-in member is in memory, on screens, in new events or on disk', async ({
  window,
  store,
}) => {
  const { lane, central } = store
  const number = COLLECTORS.fine
  const answers = (): Promise<unknown> => fetch(lane.url)
  test.slow()
  await signIn(window, CASHIER)
  await expect(window.getByRole('heading', { name: 'Ready for the next customer' })).toBeVisible()
  const display = await openDisplay(window, lane)
  const events = await listenTo(display)
  // Complete a first sale, so that the member's history has an entry.
  await ringCoffee(window, store)
  await pay(window)
  await central.reached(PATHS.issue, 1, 'processed')
  await store.printer.printed(1)
  await nextCustomer(window)

  await ringCoffee(window, store)
  const { token, deviceCode, userCode } = await signInByPhone(window, display, store)
  await useSignIn(window, display)
  const { session } = await readAs<MemberSessionNow>(window, '/api/member-session')
  const saleId = session?.saleId ?? ''

  await test.step('during the sale, the search finds the token in memory and the user code in events', async () => {
    expect((await heap.textsWith(lane.process.child, [token], answers))[0]).not.toEqual([])
    expect(await events.received()).toContain(userCode)
  })

  await pay(window)
  await expect.poll(() => memberTokens(central), 'the revoked token is rejected, so a copy is useless').toEqual([])
  await forgotten(lane, token)
  await nextCustomer(window)

  await test.step('after the sale, memory contains neither the member’s token nor the device code', async () => {
    expect(await heap.textsWith(lane.process.child, [token, deviceCode], answers)).toEqual([[], []])
  })

  await test.step('the screens neither show nor store the member’s secrets after the sale', async () => {
    for (const screen of [window, display]) {
      const held = await screenHolds(screen)
      for (const secret of [token, deviceCode, userCode, number]) expect(held).not.toContain(secret)
    }
  })

  await test.step('events contain no member secret except, until the sale closes, the user code', async () => {
    for (const received of [await events.received(), await events.replayed()]) {
      expect(received).toContain('sale-closed')
      for (const secret of [token, deviceCode, number]) expect(received).not.toContain(secret)
      expect(received.slice(received.lastIndexOf('sale-closed'))).not.toContain(userCode)
    }
  })

  await test.step('the data folder and the log contain no member secret in plain text', async () => {
    expect(await lane.diskHolds(saleId)).toBe(true)
    for (const secret of [token, deviceCode, userCode, number]) expect(await lane.diskHolds(secret)).toBe(false)
  })
})

test('the lane forgets the token and the device code even if their calls are unanswered when the sale ends', async ({
  window,
  store,
}) => {
  const { lane, central } = store
  const answers = (): Promise<unknown> => fetch(lane.url)
  test.slow()
  await signIn(window, CASHIER)
  await expect(window.getByRole('heading', { name: 'Ready for the next customer' })).toBeVisible()
  const display = await openDisplay(window, lane)
  await ringCoffee(window, store)
  const { token } = await signInByPhone(window, display, store)
  const line = window.getByRole('group', { name: 'Offers' })
  await expect(line.getByRole('button', { name: 'Opt in' })).toBeVisible()

  await test.step('the lane waits for the answers to an opt-in and a history request', async () => {
    for (const path of [`${OFFER_PATHS.list}*`, HISTORY_PATHS.cards])
      await central.faults({ path, action: { kind: 'hang-before' } })
    await window.keyboard.press('Control+y')
    await window.keyboard.press('Control+h')
    await central.reached(`${OFFER_PATHS.list}/${OFFER}/states`, 1)
    await central.reached(HISTORY_PATHS.cards, 1)
    await window.keyboard.press('Escape')
    expect((await heap.textsWith(lane.process.child, [token], answers))[0]).not.toEqual([])
  })

  await pay(window)
  await expect.poll(() => memberTokens(central)).toEqual([])
  await forgotten(lane, token)

  await test.step('an unanswered poll drops the device code when the sale ends', async () => {
    await central.clearFaults()
    await nextCustomer(window)
    await ringCoffee(window, store)
    await central.faults({ path: '/oidc/token', action: { kind: 'hang-before' } })
    await window.keyboard.press('Control+j')
    await expect(display.getByRole('img', { name: 'Scan with your phone' })).toBeVisible()
    const code = memberCodes(central).at(-1)?.deviceCode ?? ''
    await expect.poll(async () => (await heap.textsWith(lane.process.child, [code], answers))[0]).not.toEqual([])
    await pay(window)
    // The connection of the aborted request ends after the command that completes the sale.
    await expect.poll(() => heap.textsWith(lane.process.child, [code], answers)).toEqual([[]])
  })
})
