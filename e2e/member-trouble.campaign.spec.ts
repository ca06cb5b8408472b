import type { Page } from '@playwright/test'
import { HISTORY_PATHS } from '../contracts/central/history.ts'
import { OFFER_PATHS } from '../contracts/central/offers.ts'
import { PATHS } from './central.ts'
import type { Central } from '../packages/lab/rig/central.ts'
import { CASHIER } from './lane.ts'
import { watchPaints, waitedText, type Paints } from './wait-times.ts'
import { cannotReadCodes, openPhone, readCode, signInOnPhone } from './phone.ts'
import { signIn } from './sign-in.ts'
import { COLLECTORS, ean13, expect, ITEMS, test, track2, type Store } from './store.ts'
import { openDisplay } from './windows.ts'

const ASKED = [`${OFFER_PATHS.list}*`, '/transaction-history/*', '/oidc/*']
const DEVICE_AUTHORIZATION = '/oidc/device/auth'

const strike =
  (action: Record<string, unknown> & { kind: string }) =>
  async (central: Central): Promise<void> => {
    for (const path of ASKED) await central.faults({ path, action })
  }

/**
 * Each fault of the services, with the texts that the cashier sees for history and sign-in code while the sale
 * continues. `held`: the answers are still pending when the sale closes.
 */
const TROUBLES = [
  {
    name: 'ten seconds late',
    begin: strike({ kind: 'delay', ms: 10_000 }),
    history: 'Loading history…',
    code: 'Getting a code…',
    held: true,
  },
  {
    name: 'never answering',
    begin: strike({ kind: 'hang-before' }),
    history: 'Loading history…',
    code: 'Getting a code…',
    held: true,
  },
  {
    name: 'failing',
    begin: strike({ kind: 'answer', status: 500, body: {} }),
    history: 'History service error.',
    code: 'Sign-in unavailable. Continue; try later.',
    held: false,
  },
  {
    name: 'answering HTML',
    begin: strike({ kind: 'answer', status: 200, body: '<html>Hello</html>' }),
    history: 'History service gave an invalid response.',
    code: 'Sign-in unavailable. Continue; try later.',
    held: false,
  },
  {
    name: 'stopped, with all other services of the program',
    begin: (central: Central) => central.stop(),
    history: 'History service unreachable.',
    code: 'Sign-in unavailable. Continue; try later.',
    held: false,
  },
] as const

test.skip(cannotReadCodes !== null, cannotReadCodes ?? '')
test.slow()
test.use({ profile: { offers: { matches: [{ id: 'c0ffee00-0000-4000-8000-000000000002', skus: ['1010'] }] } } })

const BASKET = [ITEMS.apples, ITEMS.coffee, ITEMS.detergent]

async function beginSale(window: Page, display: Page, paints: Paints, { scanner, reader }: Store): Promise<void> {
  for (const { code } of BASKET) await paints.scan(() => scanner.send(ean13(code)))
  await reader.send(track2(COLLECTORS.fine))
  await expect(window.getByRole('button', { name: /^Redeem \$/ })).toBeEnabled()
  await window.keyboard.press('Control+j')
  const address = await readCode(display.getByRole('img', { name: 'Scan with your phone' }))
  const browser = window.context().browser()
  if (!browser) throw new Error('the window has no browser')
  const phone = await openPhone(browser, address)
  await signInOnPhone(phone, COLLECTORS.fine)
  await expect(window.getByText('Signed in by phone')).toBeVisible()
  await phone.context().close()
}

async function finishSale(
  window: Page,
  paints: Paints,
  { scanner }: Store,
  expected: { readonly history: string; readonly code: string },
): Promise<void> {
  await window.keyboard.press('Control+h')
  await expect(window.getByRole('dialog', { name: 'Miles history' })).toContainText(expected.history)
  await window.keyboard.press('Escape')
  await window.keyboard.press('Control+f')
  await expect(window.getByRole('dialog', { name: 'Offers for this sale' }).getByRole('listbox')).toBeVisible()
  await window.keyboard.press('Escape')
  await expect(window.getByRole('dialog')).toHaveCount(0)
  await window.keyboard.press('Control+j')
  await expect(window.getByRole('button', { name: 'Member signs in by phone (Ctrl+J)' })).toBeVisible()
  await window.keyboard.press('Control+j')
  for (let piece = 0; piece < 4; piece += 1) await paints.scan(() => scanner.send(ean13(ITEMS.detergent.code)))
  await expect(window.getByText(expected.code)).toBeVisible()
  await window.keyboard.press('F9')
  await expect(window.getByRole('heading', { name: 'Sale complete' })).toBeVisible()
}

for (const trouble of TROUBLES) {
  test(`a member’s sale completes while the offers, history and sign-in services are ${trouble.name}`, async ({
    window,
    store,
  }) => {
    const { central, lane } = store
    await signIn(window, CASHIER)
    await expect(window.getByRole('heading', { name: 'Ready for the next customer' })).toBeVisible()
    const display = await openDisplay(window, lane)
    await window.bringToFront()
    const paints = await watchPaints(window)

    await test.step('a sale completes while the services work', async () => {
      await beginSale(window, display, paints, store)
      await finishSale(window, paints, store, { history: 'Period', code: 'Code on display:' })
      await central.reached(PATHS.issue, 1, 'processed')
      await window.keyboard.press('Enter')
    })
    const baseline = await paints.take()

    await test.step('the services fail after the member has signed in, and every key of the sale works', async () => {
      await beginSale(window, display, paints, store)
      await paints.take()
      const before = await askedSoFar(central)
      await trouble.begin(central)
      await finishSale(window, paints, store, trouble)
      if (!trouble.held) return
      const asked = await askedSoFar(central)
      expect(asked.history, 'requested, and held while the sale was closed').toBeGreaterThan(before.history)
      expect(asked.codes, 'requested, and held while the sale was closed').toBeGreaterThan(before.codes)
    })
    process.stdout.write(
      `services well: ${waitedText(baseline)}\n${trouble.name}: ${waitedText(await paints.take())}\n`,
    )
  })
}

async function askedSoFar(central: Central): Promise<{ readonly history: number; readonly codes: number }> {
  const [history, codes] = await Promise.all(
    [HISTORY_PATHS.cards, DEVICE_AUTHORIZATION].map((path) => central.requests(path)),
  )
  return { history: history?.length ?? 0, codes: codes?.length ?? 0 }
}
