import { PATHS } from './central.ts'
import { variantsFor } from './variants.ts'
import { PERSON_KEY_GAP_MS } from './keys.ts'
import { LANGUAGES } from './languages.ts'
import { signIn } from './sign-in.ts'
import { openStorePage } from './store-page.ts'
import { COLLECTORS, ean13, expect, ITEMS, test, track2 } from './store.ts'

test.use({ viewport: { width: 1024, height: 768 } })

/** Number of attempts to send after which an operation is escalated. */
const SENDS = 3
const EARNERS = [COLLECTORS.fine, COLLECTORS.special]

for (const { language, manager, localize } of variantsFor(LANGUAGES, 0)) {
  test(`a manager sees open work and resends escalated operations: ${language}`, async ({ window, store }) => {
    const { central, scanner, reader } = store
    const todo = window.getByRole('region', { name: localize('To do', 'À faire') }).getByRole('listitem')
    const undecided = (count: number) => localize(`Miles to review: ${count}`, `Milles à vérifier : ${count}`)
    const ready = window.getByRole('heading', {
      name: localize('Ready for the next customer', 'Prêt pour le prochain client'),
    })
    const overview = () =>
      openStorePage(window, localize('Today', 'Aujourd’hui'), localize('Overview', 'Vue d’ensemble'))
    const total = async (collector: string): Promise<number> => {
      const { balances } = await central.account(collector)
      return balances.cash + balances.dream
    }
    const before = await Promise.all(EARNERS.map(total))

    await test.step('the overview of a morning without sales shows no undecided operations', async () => {
      await signIn(window, manager)
      await expect(ready).toBeVisible()
      await window.keyboard.press('Shift+F1')
      await expect(window.getByRole('heading', { name: localize('Sales so far', 'Ventes jusqu’ici') })).toBeVisible()
      await expect(
        todo.filter({ hasText: localize('Connection not checked since the start', 'Connexion non vérifiée') }),
      ).toBeVisible()
      await expect(window.getByText(undecided(0).slice(0, -1))).toHaveCount(0)
      await window.keyboard.press('F1')
    })

    await test.step('the issuances of two sales are not delivered, and a third sale is put on hold', async () => {
      await central.faults({
        path: PATHS.issue,
        times: SENDS * EARNERS.length,
        action: { kind: 'answer', status: 500, body: {} },
      })
      for (const collector of EARNERS) {
        await scanner.send(ean13(ITEMS.detergent.code))
        await reader.send(track2(collector))
        await expect(window.getByRole('button', { name: localize('Redeem $20.00', 'Échanger 20,00 $') })).toBeVisible()
        await window.keyboard.press('F9')
        await expect(window.getByRole('heading', { name: localize('Sale complete', 'Vente terminée') })).toBeVisible()
        await window.keyboard.press('Enter')
      }
      await scanner.send(ean13(ITEMS.apples.code))
      await expect(window.getByRole('row', { name: localize('Apples', 'Pommes') })).toBeVisible()
      await window.keyboard.press('F5')
      await window.keyboard.type('Back soon', { delay: PERSON_KEY_GAP_MS })
      await window.keyboard.press('Enter')
      await expect(ready).toBeVisible()
    })

    await test.step('the overview shows the open work and leads to it', async () => {
      await window.keyboard.press('Shift+F1')
      await expect(todo.filter({ hasText: undecided(EARNERS.length) })).toBeVisible()
      await expect(todo.filter({ hasText: localize('1 sale on hold', '1 vente en attente') })).toBeVisible()
      await todo
        .filter({ hasText: undecided(EARNERS.length) })
        .getByRole('link', { name: localize('Open Queue', 'Ouvrir File') })
        .click()
    })

    await test.step('one command resends the issuances, up to a limit, and each is processed once', async () => {
      const button = window.getByRole('button', { name: localize('Send 2 calls again', 'Renvoyer 2 appels') })
      await button.click()
      const dialog = window.getByRole('alertdialog', { name: localize('Send 2 calls again', 'Renvoyer 2 appels') })
      await expect(dialog).toContainText(localize('Up to 200', 'Au plus 200'))
      await dialog.getByRole('button', { name: localize('Send again', 'Renvoyer'), exact: true }).click()
      await expect(window.getByText(localize('Sent again: 2 of 2.', 'Renvoyés : 2 sur 2.'))).toBeVisible()
      await expect(window.getByRole('heading', { name: localize('Queue empty', 'File vide') })).toBeVisible()
      const sends = await central.requests(PATHS.issue)
      expect(sends).toHaveLength((SENDS + 1) * EARNERS.length)
      expect(new Set(sends.map(({ headers }) => headers['idempotency-key'])).size).toBe(EARNERS.length)
      const after = await Promise.all(EARNERS.map(total))
      for (const [index, miles] of after.entries()) expect(miles).toBeGreaterThan(before[index] ?? miles)
    })

    await test.step('after the resend the overview lists no undecided operations, but the held sale', async () => {
      await overview()
      await expect(todo.filter({ hasText: localize('1 sale on hold', '1 vente en attente') })).toBeVisible()
      await expect(window.getByText(undecided(0).slice(0, -1))).toHaveCount(0)
    })
  })
}
