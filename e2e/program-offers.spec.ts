import { readFile } from 'node:fs/promises'
import { OFFER_PATHS } from '../contracts/central/offers.ts'
import { PERSON_KEY_GAP_MS } from './keys.ts'
import { signIn } from './sign-in.ts'
import { expect, test } from './store.ts'
import { openStorePage } from './store-page.ts'
import { variantsFor } from './variants.ts'
import { LANGUAGES } from './languages.ts'

test.use({ viewport: { width: 1024, height: 768 } })

const UUID = /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/

for (const { language, manager, localize } of variantsFor(LANGUAGES, 1)) {
  test(`a manager filters the program’s offers, saves a shelf card and sees an outage: ${language}`, async ({
    window,
    store: { central },
  }) => {
    const button = (english: string, french: string) => window.getByRole('button', { name: localize(english, french) })
    const choice = (english: string, french: string) =>
      window.getByRole('combobox', { name: localize(english, french), exact: true })
    const rows = window.getByRole('table', { name: localize('Offers', 'Offres') }).getByRole('row')
    const dialog = window.getByRole('dialog')
    const counted = (text: string): number => Number(/\((\d+)\)$/.exec(text)?.[1])

    await test.step('the program’s offers are listed in pages of twenty', async () => {
      await signIn(window, manager)
      await expect(
        window.getByRole('heading', { name: localize('Ready for the next customer', 'Prêt pour le prochain client') }),
      ).toBeVisible()
      await window.keyboard.press('Shift+F1', { delay: PERSON_KEY_GAP_MS })
      await openStorePage(window, localize('Miles', 'Milles'), localize('Program offers', 'Offres du programme'))
      await expect(rows).toHaveCount(21)
      await button('Next', 'Suivantes').click()
      await expect(window.getByText(localize('21–', '21 à '))).toBeVisible()
    })

    await test.step('the partner filter lists as many offers as counted; another selects the way to earn', async () => {
      const option = choice('Partner', 'Partenaire').getByRole('option').nth(1)
      const label = await option.innerText()
      await choice('Partner', 'Partenaire').selectOption(label)
      const all = counted(label)
      await expect(window.getByText(new RegExp(`^${all} (matching offers?|offres? selon les filtres)$`))).toBeVisible()
      await choice('Earned by', 'Obtenue par').selectOption('spend')
      await expect.poll(() => rows.count()).toBeLessThan(all + 1)
      for (const row of (await rows.all()).slice(1)) await expect(row).toContainText(localize('Spend $', 'Dépensez'))
      await button('Clear filters', 'Effacer les filtres').click()
      await expect(rows).toHaveCount(21)
    })

    await test.step('the manager opens an offer and saves its shelf card', async () => {
      const award = await rows.nth(1).getByRole('rowheader').innerText()
      await rows.nth(1).getByRole('button').press('Enter')
      await expect(dialog.getByRole('heading', { name: award.split('\n')[0] ?? '' })).toBeVisible()
      await expect(dialog.getByRole('heading', { name: 'Conditions' })).toBeVisible()
      const downloading = window.waitForEvent('download')
      await button('Save shelf card (PDF)', 'Enregistrer l’affichette (PDF)').click()
      const saved = await downloading
      expect(saved.suggestedFilename()).toMatch(/^shelf-card_.*_lane-01_[0-9a-f]{8}\.pdf$/)
      expect((await readFile(await saved.path())).subarray(0, 8).toString('latin1')).toBe('%PDF-1.4')
      await expect(window.getByText(localize('Shelf card saved.', 'Affichette enregistrée.'))).toBeVisible()
      await window.keyboard.press('Escape')
      await expect(dialog).toHaveCount(0)
    })

    await test.step('without the offer service the page shows a stored list and an error reference', async () => {
      await central.faults({ path: `${OFFER_PATHS.list}*`, action: { kind: 'answer', status: 503, body: {} } })
      await choice('Category', 'Catégorie').selectOption({ index: 1 })
      const notice = window.getByRole('alert').filter({ hasText: localize('under maintenance', 'en entretien') })
      await expect(notice).toContainText(localize('In-store offers kept on this lane', 'Offres en magasin gardées'))
      await expect(notice).toContainText(localize('Not filtered by: Category', 'Sans filtrer par : Catégorie'))
      await expect(notice).toContainText('HTTP 503')
      await expect(notice).toContainText(UUID)
      await button('Refresh', 'Actualiser').click()
      await expect(
        window.getByText(localize('2 of 2 lists not refreshed', '2 listes sur 2 non actualisées')),
      ).toBeVisible()
      await rows.nth(1).getByRole('button').click()
      await expect(dialog).toContainText(localize('From the lane’s list.', 'De la liste de la caisse.'))
      await expect(button('Save shelf card (PDF)', 'Enregistrer l’affichette (PDF)')).toHaveCount(0)
      await window.keyboard.press('Escape')
    })

    await test.step('when the offer service is available again, one retry shows its offers', async () => {
      await central.clearFaults()
      await button('Try again', 'Réessayer').click()
      await expect(window.getByRole('alert').filter({ hasText: UUID })).toHaveCount(0)
      await button('Refresh', 'Actualiser').click()
      await expect(window.getByText(localize('Lists refreshed.', 'Listes actualisées.'))).toBeVisible()
      await expect(window.getByText(localize('Up to date', 'À jour'))).toHaveCount(2)
    })
  })
}
