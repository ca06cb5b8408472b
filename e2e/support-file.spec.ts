import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { SupportFile } from '../contracts/operations/support.ts'
import { inTurn } from './in-turn.ts'
import { A_PERSON } from './keys.ts'
import { LANGUAGES } from './languages.ts'
import { signIn } from './sign-in.ts'
import { openStorePage } from './store-page.ts'
import { COLLECTORS, ean13, expect, ITEMS, test, track2 } from './store.ts'

test.use({ viewport: { width: 1024, height: 768 } })

/** A line of the log as the backend writes it, with what it should never have written. */
const LOGGED = {
  level: 50,
  time: '2026-11-20T15:00:00.000Z',
  msg: 'a call failed',
  err: { type: 'SqliteError', code: 'SQLITE_FULL', message: `no room for ${COLLECTORS.fine}` },
  customer: 'Jean Tremblay',
}

for (const { language, manager, words: say } of inTurn(LANGUAGES, 1)) {
  test(`a manager reads what support gets and saves it, without anything of a member: ${language}`, async ({
    window,
    store,
  }) => {
    const button = (english: string, french: string) => window.getByRole('button', { name: say(english, french) })
    const dialog = window.getByRole('dialog')
    await mkdir(join(store.lane.data, 'logs'), { recursive: true })
    await writeFile(join(store.lane.data, 'logs', 'backend.log'), `${JSON.stringify(LOGGED)}\n`)
    await signIn(window, manager)
    await expect(
      window.getByRole('heading', { name: say('Ready for the next customer', 'Prêt pour le prochain client') }),
    ).toBeVisible()
    await store.reader.send(track2(COLLECTORS.fine))
    await store.scanner.send(ean13(ITEMS.detergent.code))
    await expect(window.getByRole('status', { name: 'Total' })).toBeVisible()

    await window.keyboard.press('Shift+F1', { delay: A_PERSON })
    await openStorePage(window, say('Lane', 'Caisse'), say('Devices', 'Appareils'))
    await button('Support file', 'Fichier de soutien').click()
    const section = (english: string, french: string) =>
      dialog
        .locator('details')
        .filter({ has: window.getByRole('heading', { name: say(english, french), exact: true }) })

    await test.step('the sections open one by one, before anything is saved', async () => {
      await expect(dialog.locator('details')).toHaveCount(11)
      await expect(section('Program', 'Programme')).toContainText('N101 / 01')
      for (const [english, french, holds] of [
        ['Devices', 'Appareils', say('Reader', 'Lecteur')],
        ['Warnings and errors', 'Avertissements et erreurs', 'a call failed'],
        ['Program log', 'Journal du programme', 'SQLITE_FULL'],
      ] as const) {
        await section(english, french).locator('summary').click()
        await expect(section(english, french).locator('dl')).toContainText(holds)
      }
      await expect(dialog).not.toContainText(COLLECTORS.fine)
      await expect(dialog).not.toContainText('Tremblay')
    })

    await test.step('the file is what was shown, and the audit trail has it', async () => {
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
      await openStorePage(window, say('Setup', 'Configuration'), say('Audit', 'Audit'))
      await expect(
        window.getByRole('rowheader', { name: say('Support file saved', 'Fichier de soutien enregistré') }),
      ).toBeVisible()
    })
  })
}
