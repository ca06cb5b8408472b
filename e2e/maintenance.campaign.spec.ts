import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { CAISSIERE, CASHIER, MANAGER } from './lane.ts'
import { signIn } from './sign-in.ts'
import { ean13, expect, ITEMS, test } from './store.ts'
import { openStorePage } from './store-page.ts'

/** Makes echo checks frequent: each compares the lane's clock with the service's. */
test.use({ limits: { echoIntervalMs: 300 } })

test('the status bar shows a difference between the lane’s clock and the loyalty service’s, with what to do', async ({
  store,
  window,
}) => {
  await store.central.moveClock(-3 * 3_600_000)
  await signIn(window, CASHIER)
  const chip = window.getByRole('button', { name: /^Clock/ })
  await expect(chip).toContainText('3 hours fast')
  await chip.click()
  await expect(window.getByRole('dialog')).toContainText('ask a manager to set automatic time')
  await window.keyboard.press('Escape')

  await store.scanner.send(ean13(ITEMS.detergent.code))
  await expect(window.getByRole('row').filter({ hasText: 'detergent' })).toHaveCount(1)

  await store.central.moveClock(0)
  await expect(chip).toHaveCount(0)
})

test('the status bar explains the clock difference in French', async ({ store, window }) => {
  await store.central.moveClock(40 * 60_000)
  await signIn(window, CAISSIERE)
  const chip = window.getByRole('button', { name: /^Horloge/ })
  await expect(chip).toContainText('Retard de 40 minutes')
  await chip.click()
  await expect(window.getByRole('dialog')).toContainText('la gérance doit la régler')
})

test('the terminal page shows the clock and the backup made when the terminal last stopped', async ({
  store,
  page,
}) => {
  const { lane } = store
  await lane.process.stop()
  const [backup] = (await readdir(join(lane.data, 'backups'))).filter((name) => name.startsWith('closing-'))
  await lane.restart()
  await page.goto(lane.launchUrl)
  await signIn(page, MANAGER)
  await page.getByRole('heading', { name: 'Ready for the next customer' }).waitFor()
  await page.keyboard.press('Shift+F1')
  await openStorePage(page, 'Lane', 'Terminal')
  const cards = page.getByRole('listitem')
  await expect(cards.filter({ hasText: 'Clock' })).toContainText('Clock is correct')
  await expect(cards.filter({ hasText: 'Backup' })).toContainText('Complete')
  await expect(cards.filter({ hasText: 'Backup' })).toContainText(backup ?? 'no backup was made')
})
