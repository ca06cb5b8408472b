import AxeBuilder from '@axe-core/playwright'
import { CASH_PATHS } from '../contracts/central/cash.ts'
import { HISTORY_PATHS } from '../contracts/central/history.ts'
import { COLLECTORS, expect, test } from './store.ts'
import { CASHIER, GERANTE, MANAGER } from './lane.ts'
import { signIn } from './sign-in.ts'
import { inTurn } from './in-turn.ts'
import { openStorePage } from './store-page.ts'
import { headersOf } from './windows.ts'

test.use({
  limits: { cashTimeoutMs: 800, echoIntervalMs: 500 },
  profile: { connection: { noticeAfterMs: 600, support: { name: 'Northstar', phone: '1 800 555-0142' } } },
})

const LANGUAGES = [
  {
    manager: MANAGER,
    words: {
      ready: 'Ready for the next customer',
      store: 'Connection',
      lane: 'Lane',
      check: 'Check connection',
      passed: 'All steps passed.',
      failedOne: '1 step failed.',
      certificate: /certificate’s last day/,
      unwell: 'The service says it is not well.',
      online: /^Online since/,
      outage: /^Under maintenance since/,
      call: /call Northstar at 1 800 555-0142 and quote trace [0-9a-f-]{36}/,
      gone: /Miles service under maintenance\. Since/,
      back: /Miles service is back/,
      year: 'Year',
      table: 'Uptime by period',
      failures: 'Failures',
    },
  },
  {
    manager: GERANTE,
    words: {
      ready: 'Prêt pour le prochain client',
      store: 'Connexion',
      lane: 'Caisse',
      check: 'Vérifier la connexion',
      passed: 'Tout fonctionne.',
      failedOne: '1 étape en échec.',
      certificate: /dernier jour du certificat/,
      unwell: 'Le service se dit en panne.',
      online: /^En ligne depuis/,
      outage: /^En entretien depuis/,
      call: /appelez Northstar au 1 800 555-0142 et donnez la trace [0-9a-f-]{36}/,
      gone: /Service de milles en entretien\. Depuis/,
      back: /Service de milles rétabli/,
      year: 'Année',
      table: 'Disponibilité par période',
      failures: 'Pannes',
    },
  },
] as const

for (const { manager, words } of inTurn(LANGUAGES, 1))
  test(`the connection, step by step, gone and back (${words.store})`, async ({ window, store: { central } }) => {
    await signIn(window, manager)
    await expect(window.getByRole('heading', { name: words.ready })).toBeVisible()
    const before = await central.account(COLLECTORS.fine)
    await window.keyboard.press('Shift+F1')
    await openStorePage(window, words.lane, words.store)

    await test.step('a check of nine steps, by the keyboard', async () => {
      await window.getByRole('button', { name: words.check }).focus()
      await window.keyboard.press('Enter')
      await expect(window.getByText(words.passed)).toBeVisible()
      await expect(
        window
          .getByRole('list')
          .filter({ has: window.getByText('ECHO') })
          .getByRole('heading'),
      ).toHaveCount(9)
      await expect(window.getByText(words.certificate)).toBeVisible()
      await expect(window.getByRole('heading', { name: words.online })).toBeVisible()
    })

    await test.step('one service is unwell: its step says so, the others pass', async () => {
      await central.faults({
        path: HISTORY_PATHS.health,
        action: { kind: 'answer', status: 200, body: { status: 'down' } },
      })
      await window.getByRole('button', { name: words.check }).click()
      await expect(window.getByText(words.failedOne)).toBeVisible()
      await expect(window.getByText(words.unwell)).toBeVisible()
    })

    await test.step('the centre goes: a notice, whom to call, and a row among the failures', async () => {
      await central.faults({ path: CASH_PATHS.echo, action: { kind: 'outage' } })
      await expect(window.getByRole('heading', { name: words.outage })).toBeVisible()
      await expect(window.getByText(words.call)).toBeVisible()
      await expect(window.getByText(words.gone).first()).toBeVisible()
      await expect(window.getByRole('table', { name: words.failures }).getByRole('row', { name: /0092/ })).toBeVisible()
    })

    await test.step('and returns', async () => {
      await central.clearFaults()
      await expect(window.getByText(words.back).first()).toBeVisible()
      await expect(window.getByRole('heading', { name: words.online })).toBeVisible()
    })

    await test.step('a year, as a chart and as a table', async () => {
      await window.getByRole('radio', { name: words.year }).click()
      await expect(window.getByRole('table', { name: words.table }).getByRole('row')).toHaveCount(54)
      await expect(window.locator('figure svg').first()).toBeVisible()
      const { violations } = await new AxeBuilder({ page: window }).analyze()
      expect(violations.map(({ id }) => id)).toEqual([])
    })

    expect(await central.account(COLLECTORS.fine)).toEqual(before)
    expect(await central.problems()).toEqual([])
  })

test('the page of the connection is a manager’s', async ({ window, store }) => {
  await signIn(window, CASHIER)
  await expect(window.getByRole('heading', { name: 'Ready for the next customer' })).toBeVisible()
  const { origin } = new URL(store.lane.url)
  for (const path of ['connection', 'connection/history?period=day']) {
    const refused = await window.request.get(`${origin}/api/diagnostics/${path}`, {
      headers: { ...headersOf(window), origin },
    })
    expect(refused.status()).toBe(403)
  }
})
