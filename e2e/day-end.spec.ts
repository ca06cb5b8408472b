import { readFile } from 'node:fs/promises'
import type { Page } from '@playwright/test'
import { PERSON_KEY_GAP_MS } from './keys.ts'
import { signIn } from './sign-in.ts'
import { ean13, expect, ITEMS, test } from './store.ts'
import { openStorePage } from './store-page.ts'
import { variantsFor } from './variants.ts'
import { LANGUAGES } from './languages.ts'

test.use({ profile: { shifts: { opening: 'counted' } }, viewport: { width: 1024, height: 768 } })

const press = async (window: Page, ...keys: string[]): Promise<void> => {
  for (const key of keys) await window.keyboard.press(key, { delay: PERSON_KEY_GAP_MS })
}
const type = (window: Page, digits: string): Promise<void> => window.keyboard.type(digits, { delay: PERSON_KEY_GAP_MS })

for (const { language, cashier, manager, localize } of variantsFor(LANGUAGES, 0)) {
  test(`a drawer goes from float to close, and its day to a Z report: ${language}`, async ({ window, store }) => {
    const { scanner, printer } = store
    const button = (english: string, french: string) => window.getByRole('button', { name: localize(english, french) })
    const dialog = window.getByRole('dialog')
    const money = (dollars: string): string => localize(`$${dollars}`, `${dollars.replace('.', ',')} $`)
    const ready = window.getByRole('heading', {
      name: localize('Ready for the next customer', 'Prêt pour le prochain client'),
    })
    const save = async (from: Pick<Page, 'getByRole'>): Promise<{ name: string; head: string }> => {
      const downloading = window.waitForEvent('download')
      await from.getByRole('button', { name: localize('Save as PDF', 'Enregistrer en PDF') }).click()
      const file = await downloading
      return { name: file.suggestedFilename(), head: (await readFile(await file.path())).toString('latin1', 0, 5) }
    }
    const countCash = async (): Promise<void> => {
      await button('Skip, not counted', 'Passer, non compté').click()
      await button('Finish count', 'Terminer le comptage').click()
    }

    await test.step('no item can be rung before the float is counted, and the refusal leads to the count', async () => {
      await signIn(window, cashier)
      await expect(ready).toBeVisible()
      await scanner.send(ean13(ITEMS.detergent.code))
      await expect(
        window.getByText(
          localize(
            'No shift is open. Count the float first.',
            'Aucun quart n’est ouvert. Comptez d’abord le fonds de caisse.',
          ),
        ),
      ).toBeVisible()
      await button('Start shift', 'Commencer le quart').click()
    })

    await test.step('the float is counted by denomination with the keyboard alone', async () => {
      const count = button('Count float', 'Compter le fonds')
      await count.focus()
      await press(window, 'Enter')
      await expect(window.getByRole('textbox', { name: money('100').replace(',00', '') }).first()).toBeFocused()
      await press(window, 'Enter', 'ArrowDown')
      await type(window, '10')
      await expect(dialog.getByRole('status')).toHaveText(money('200.00'))
      for (let field = 0; field < 8; field += 1) await press(window, 'Enter')
      await expect(
        window.getByText(localize('Shift open. Float: $200.00.', 'Quart ouvert. Fonds de caisse : 200,00 $.')),
      ).toBeVisible()
      await expect(window.getByText(localize('No open shift', 'Aucun quart ouvert'))).toHaveCount(0)
    })

    await test.step('a sale is paid in cash', async () => {
      await press(window, 'Escape')
      await expect(ready).toBeVisible()
      await scanner.send(ean13(ITEMS.detergent.code))
      await expect(window.getByRole('status', { name: 'Total' })).toHaveText(money('22.59'))
      await press(window, 'F9')
      await expect(window.getByRole('heading', { name: localize('Sale complete', 'Vente terminée') })).toBeVisible()
      await press(window, 'Enter')
    })

    await test.step('cash is dropped to the safe, and a manager approves a paid-out', async () => {
      await press(window, 'Shift+F1')
      await openStorePage(window, localize('Today', 'Aujourd’hui'), localize('Drawer', 'Tiroir'))
      await button('Drop to safe', 'Dépôt au coffre').click()
      await type(window, '10000')
      await button('Drawer limit', 'Tiroir trop plein').click()
      await button('Drop $100.00', 'Déposer 100,00 $').click()
      await expect(window.getByRole('row', { name: localize('Drawer limit', 'Tiroir trop plein') })).toContainText(
        money('100.00'),
      )
      await button('Paid out', 'Sortie d’argent').click()
      await type(window, '500')
      await press(window, 'Enter')
      await expect(window.getByRole('textbox', { name: localize('Reason', 'Motif') })).toBeFocused()
      await type(window, 'Stamps')
      await press(window, 'Enter')
      const approval = window.getByRole('dialog', {
        name: localize('Supervisor approval required', 'Approbation d’un superviseur requise'),
      })
      await expect(approval).toContainText(money('5.00'))
      await approval.getByRole('button', { name: manager.name }).click()
      await type(window, manager.pin)
      await press(window, 'Enter')
      await expect(window.getByRole('row', { name: 'Stamps' })).toContainText(manager.name)
      await expect(dialog).toHaveCount(0)
    })

    await test.step('the count is blind until it is final, and a wrong count is repeated', async () => {
      await button('Count and close', 'Compter et fermer').click()
      await button('Total only', 'Total seulement').click()
      await type(window, '11750')
      await expect(dialog).not.toContainText('117.60')
      await expect(dialog).not.toContainText('117,60')
      await press(window, 'Enter')
      await countCash()
      await expect(dialog.getByRole('status')).toHaveText(
        localize('Count differs: Cash', 'Écart de comptage : Comptant'),
      )
      await expect(dialog).not.toContainText(/117[.,]60|0[.,]10/)
      await button('Recount', 'Recompter').click()
      await window.getByRole('spinbutton').click()
      await press(window, 'Backspace', 'Backspace', '6', '0', 'Enter')
      await countCash()
      await expect(dialog.getByRole('status')).toHaveText(localize('No difference', 'Aucun écart'))
      await expect(button('Recount', 'Recompter')).toHaveCount(0)
      await button('Continue', 'Continuer').click()
    })

    await test.step('the next float stays in the drawer, and the remaining cash goes to the safe', async () => {
      await type(window, '10000')
      await expect(dialog.getByRole('status')).toHaveText(money('17.60'))
      await press(window, 'Enter')
      await expect(dialog.getByText(localize('Shift 1 closed.', 'Quart 1 fermé.'))).toBeVisible()
      await expect(dialog.getByRole('definition')).toHaveText([money('17.60'), money('100.00')])
      await press(window, 'Enter')
      await expect(button('Open with $100.00', 'Ouvrir avec 100,00 $')).toBeVisible()
      await press(window, 'Shift+F12')
    })

    await test.step('the manager saves the X report, closes the day, and saves and reprints the Z report', async () => {
      await signIn(window, manager)
      await expect(ready).toBeVisible()
      await press(window, 'Shift+F1')
      await openStorePage(window, localize('Today', 'Aujourd’hui'), localize('Day end', 'Fin de journée'))
      await expect(
        window.getByText(localize('1 closed shift for the next Z', '1 quart fermé pour le prochain Z')),
      ).toBeVisible()
      await expect(window.getByRole('region', { name: localize('Sales', 'Ventes'), exact: true })).toContainText(
        money('22.59'),
      )
      const xFile = await save(window)
      expect(xFile.name).toMatch(/^x-report_[A-Z0-9-]+_lane-01_[0-9T-]+\.pdf$/)
      expect(xFile.head).toBe('%PDF-')
      await expect(window.getByText(localize('X report saved as PDF.', 'Rapport X enregistré en PDF.'))).toBeVisible()
      await button('Close day (Z)', 'Fermer la journée (Z)').click()
      await window
        .getByRole('alertdialog')
        .getByRole('button', { name: localize('Close day', 'Fermer la journée') })
        .click()
      await expect(dialog.getByText(localize('Day closed: Z 1.', 'Journée fermée : Z 1.'))).toBeVisible()
      await expect(dialog.getByRole('article', { name: 'Z 1' })).toContainText('22')
      await printer.printed(5)
      const zFile = await save(dialog)
      expect(zFile.name).toMatch(/^z-report_[A-Z0-9-]+_lane-01_1\.pdf$/)
      expect(zFile.head).toBe('%PDF-')
      await expect(window.getByText(localize('Z 1 saved as PDF.', 'Z 1 enregistré en PDF.'))).toBeVisible()
      await button('Reprint', 'Réimprimer').click()
      await expect(window.getByRole('row', { name: 'Z 1' })).toContainText(localize('Exact', 'Exact'))
      const papers = await printer.printed(6)
      expect(papers.filter((paper) => paper.includes('Z 1'))).toHaveLength(2)
      expect(papers.at(-1)).toContain(localize('COPY 1', 'COPIE 1'))
    })

    await test.step('the manager saves the day closing, and prints and reprints the month closing', async () => {
      await window.getByRole('radio', { name: localize('Z reports', 'Rapports Z') }).focus()
      await press(window, 'ArrowRight', 'Space')
      const days = window.getByRole('table', { name: localize('By day', 'Par jour') })
      await expect(days.getByRole('row')).toHaveCount(2)
      await expect(days).toContainText(money('22.59'))
      await days.getByRole('button').focus()
      await press(window, 'Enter')
      await expect(dialog.getByRole('article')).toContainText(localize('DAILY CLOSING', 'FERMETURE DU JOUR'))
      const dayFile = await save(dialog)
      expect(dayFile.name).toMatch(/^closing_[A-Z0-9-]+_lane-01_\d{4}-\d\d-\d\d-Z1\.pdf$/)
      expect(dayFile.head).toBe('%PDF-')
      await button('Close', 'Fermer').last().click()
      await window.getByRole('radio', { name: localize('By month', 'Par mois') }).click()
      const months = window.getByRole('table', { name: localize('By month', 'Par mois') })
      await months.getByRole('button').click()
      await dialog.getByRole('button', { name: localize('Print', 'Imprimer'), exact: true }).click()
      await expect(
        window.getByText(localize('Report sent to the printer.', 'Rapport envoyé à l’imprimante.')),
      ).toBeVisible()
      await months.getByRole('button').click()
      await button('Reprint', 'Réimprimer').click()
      const closings = (await printer.printed(8)).slice(-2)
      for (const paper of closings) {
        expect(paper).toContain(localize('MONTHLY CLOSING', 'FERMETURE DU MOIS'))
        expect(paper).toContain('22')
      }
      expect(closings.map((paper) => paper.includes(localize('COPY 1', 'COPIE 1')))).toEqual([false, true])
    })
  })
}
