import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { SupportFile } from '../contracts/operations/support.ts'
import { variantsFor } from './variants.ts'
import { PERSON_KEY_GAP_MS } from './keys.ts'
import { LANGUAGES } from './languages.ts'
import { signIn } from './sign-in.ts'
import { openStorePage } from './store-page.ts'
import { COLLECTORS, ean13, expect, ITEMS, test, track2 } from './store.ts'

test.use({ viewport: { width: 1024, height: 768 } })

/** A log line in the backend's format, with data that a log must never contain. */
const LOGGED = {
  level: 50,
  time: '2026-11-20T15:00:00.000Z',
  msg: 'a call failed',
  err: { type: 'SqliteError', code: 'SQLITE_FULL', message: `no room for ${COLLECTORS.fine}` },
  customer: 'Jean Tremblay',
}

for (const { language, manager, localize } of variantsFor(LANGUAGES, 1)) {
  test(`a manager reads and saves a support file without any member data: ${language}`, async ({ window, store }) => {
    const button = (english: string, french: string) => window.getByRole('button', { name: localize(english, french) })
    const dialog = window.getByRole('dialog')
    await mkdir(join(store.lane.data, 'logs'), { recursive: true })
    await writeFile(join(store.lane.data, 'logs', 'backend.log'), `${JSON.stringify(LOGGED)}\n`)
    await signIn(window, manager)
    await expect(
      window.getByRole('heading', { name: localize('Ready for the next customer', 'Prêt pour le prochain client') }),
    ).toBeVisible()
    await store.reader.send(track2(COLLECTORS.fine))
    await store.scanner.send(ean13(ITEMS.detergent.code))
    await expect(window.getByRole('status', { name: 'Total' })).toBeVisible()

    await window.keyboard.press('Shift+F1', { delay: PERSON_KEY_GAP_MS })
    await openStorePage(window, localize('Lane', 'Caisse'), localize('Devices', 'Appareils'))
    await button('Support file', 'Fichier de soutien').click()
    const section = (english: string, french: string) =>
      dialog
        .locator('details')
        .filter({ has: window.getByRole('heading', { name: localize(english, french), exact: true }) })

    await test.step('the sections of the support file can be read before anything is saved', async () => {
      await expect(dialog.locator('details')).toHaveCount(11)
      await expect(section('Program', 'Programme')).toContainText('N101 / 01')
      for (const [english, french, holds] of [
        ['Devices', 'Appareils', localize('Reader', 'Lecteur de cartes')],
        ['Warnings and errors', 'Avertissements et erreurs', 'a call failed'],
        ['Program log', 'Journal du programme', 'SQLITE_FULL'],
      ] as const) {
        await section(english, french).locator('summary').click()
        await expect(section(english, french).locator('dl')).toContainText(holds)
      }
      await expect(dialog).not.toContainText(COLLECTORS.fine)
      await expect(dialog).not.toContainText('Tremblay')
    })

    await test.step('the saved support file equals the preview, and the audit trail records it', async () => {
      const [saved] = await Promise.all([
        window.waitForEvent('download'),
        button('Save file', 'Enregistrer le fichier').click(),
      ])
      expect(saved.suggestedFilename()).toMatch(/^support_N101_lane-01_\d{4}-\d\d-\d\d\.json\.gz$/)
      const text = gunzipSync(await readFile(await saved.path())).toString()
      const file = SupportFile.parse(JSON.parse(text))
      expect(file.program).toMatchObject({ store: 'N101', lane: '01', mode: 'production' })
      expect(file.log.entries).toMatchObject([{ message: 'a call failed', errorCode: 'SQLITE_FULL' }])
      for (const secret of [COLLECTORS.fine, 'Tremblay', manager.name, manager.pin]) expect(text).not.toContain(secret)
      await openStorePage(window, localize('Setup', 'Configuration'), localize('Audit', 'Audit'))
      await expect(
        window.getByRole('rowheader', { name: localize('Support file saved', 'Fichier de soutien enregistré') }),
      ).toBeVisible()
    })
  })
}
