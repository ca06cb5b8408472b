import AxeBuilder from '@axe-core/playwright'
import { CASH_PATHS } from '../contracts/central/cash.ts'
import { HISTORY_PATHS } from '../contracts/central/history.ts'
import { COLLECTORS, expect, test } from './store.ts'
import { CASHIER, GERANTE, MANAGER } from './lane.ts'
import { signIn } from './sign-in.ts'
import { variantsFor } from './variants.ts'
import { openStorePage } from './store-page.ts'
import { headersOf } from './windows.ts'

test.use({
  limits: { cashTimeoutMs: 800, echoIntervalMs: 500 },
  profile: { connection: { noticeAfterMs: 600, support: { name: 'Northstar', phone: '1 800 555-0142' } } },
})

const LANGUAGES = [
  {
    manager: MANAGER,
    texts: {
      ready: 'Ready for the next customer',
      store: 'Connection',
      lane: 'Lane',
      check: 'Check connection',
      passed: 'All steps passed.',
      failedOne: '1 step failed.',
      certificate: /certificate’s last day/,
      unwell: 'The service reports a problem.',
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
    texts: {
      ready: 'Prêt pour le prochain client',
      store: 'Connexion',
      lane: 'Caisse',
      check: 'Vérifier la connexion',
      passed: 'Tout fonctionne.',
      failedOne: '1 étape en échec.',
      certificate: /dernier jour du certificat/,
      unwell: 'Le service signale une panne.',
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

for (const { manager, texts } of variantsFor(LANGUAGES, 1))
  test(`a manager checks the connection step by step, through an outage and after it (${texts.store})`, async ({
    window,
    store: { central },
  }) => {
    await signIn(window, manager)
    await expect(window.getByRole('heading', { name: texts.ready })).toBeVisible()
    const before = await central.account(COLLECTORS.fine)
    await window.keyboard.press('Shift+F1')
    await openStorePage(window, texts.lane, texts.store)

    await test.step('the keyboard starts a connection check of nine steps', async () => {
      await window.getByRole('button', { name: texts.check }).focus()
      await window.keyboard.press('Enter')
      await expect(window.getByText(texts.passed)).toBeVisible()
      await expect(
        window
          .getByRole('list')
          .filter({ has: window.getByText('ECHO') })
          .getByRole('heading'),
      ).toHaveCount(9)
      await expect(window.getByText(texts.certificate)).toBeVisible()
      await expect(window.getByRole('heading', { name: texts.online })).toBeVisible()
    })

    await test.step('when one service is unhealthy, its step fails and the other steps pass', async () => {
      await central.faults({
        path: HISTORY_PATHS.health,
        action: { kind: 'answer', status: 200, body: { status: 'down' } },
      })
      await window.getByRole('button', { name: texts.check }).click()
      await expect(window.getByText(texts.failedOne)).toBeVisible()
      await expect(window.getByText(texts.unwell)).toBeVisible()
    })

    await test.step('an outage shows a notice and a support contact, and a row in the list of outages', async () => {
      await central.faults({ path: CASH_PATHS.echo, action: { kind: 'outage' } })
      await expect(window.getByRole('heading', { name: texts.outage })).toBeVisible()
      await expect(window.getByText(texts.call)).toBeVisible()
      await expect(window.getByText(texts.gone).first()).toBeVisible()
      await expect(window.getByRole('table', { name: texts.failures }).getByRole('row', { name: /0092/ })).toBeVisible()
    })

    await test.step('after the outage a notice and the page show that the services are available again', async () => {
      await central.clearFaults()
      await expect(window.getByText(texts.back).first()).toBeVisible()
      await expect(window.getByRole('heading', { name: texts.online })).toBeVisible()
    })

    await test.step('the connection history shows a year as a chart and as a table', async () => {
      await window.getByRole('radio', { name: texts.year }).click()
      await expect(window.getByRole('table', { name: texts.table }).getByRole('row')).toHaveCount(54)
      await expect(window.locator('figure svg').first()).toBeVisible()
      const { violations } = await new AxeBuilder({ page: window }).analyze()
      expect(violations.map(({ id }) => id)).toEqual([])
    })

    expect(await central.account(COLLECTORS.fine)).toEqual(before)
    expect(await central.problems()).toEqual([])
  })

test('a cashier gets no data of the connection page', async ({ window, store }) => {
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
