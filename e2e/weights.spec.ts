import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { PERSON_KEY_GAP_MS } from './keys.ts'
import { LANGUAGES } from './languages.ts'
import { signIn } from './sign-in.ts'
import { expect, test as base } from './store.ts'

interface ScaleEnd {
  readonly port: number
  /** Reply to each request, without its first and last byte. */
  reply: string
}

/** The far end of a Toledo scale: answers each request with the current reply. */
const test = base.extend<{ scale: ScaleEnd }>({
  scale: async ({ request: _ }, use) => {
    const state = { reply: '00.000' }
    const server = createServer((socket) => {
      socket.on('error', () => undefined)
      socket.on('data', () => socket.write(Buffer.from(`\x02${state.reply}\r`, 'latin1')))
    })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    await use(Object.assign(state, { port: (server.address() as AddressInfo).port }))
    server.close()
  },
  more: async ({ scale }, use) => {
    await use({ scalePort: scale.port })
  },
})

for (const { language, cashier, manager, localize } of LANGUAGES) {
  test(`items are sold by the scale’s weight, by a typed weight with approval, and by length (${language})`, async ({
    window,
    store,
    scale,
  }) => {
    await signIn(window, cashier)
    const ready = localize('Ready for the next customer', 'Prêt pour le prochain client')
    await expect(window.getByRole('heading', { name: ready })).toBeVisible()
    const rows = window.getByRole('row')
    const dialog = window.getByRole('dialog')
    const find = async (code: string): Promise<void> => {
      await window.keyboard.press('F2')
      await window.keyboard.type(code, { delay: PERSON_KEY_GAP_MS })
      await window.getByRole('option').first().click()
      await expect(dialog).toBeVisible()
    }
    const add = (total: string) => dialog.getByRole('button', { name: `${localize('Add', 'Ajouter')} ${total}` })

    await test.step('the dialog follows the scale, and adds nothing before the weight is stable', async () => {
      scale.reply = '?A'
      await find('4664')
      await expect(dialog.getByText(localize('Weight is moving', 'Le poids bouge'))).toBeVisible()
      await window.keyboard.press('Enter')
      await expect(dialog.getByText(localize('wait for a stable weight', 'attendez un poids stable'))).toBeVisible()
      scale.reply = '01.235'
      await add(localize('$5.42', '5,42 $')).click()
      await expect(dialog).toBeHidden()
      await expect(rows).toContainText([localize('1.235 kg × $4.39/kg', '1,235 kg × 4,39 $/kg')])
    })

    await test.step('the tare of the salad bar is subtracted, and a load is not sold twice', async () => {
      await find('1075')
      await add(localize('$15.78', '15,78 $')).click()
      await expect(dialog.getByRole('alert')).toContainText(localize('sold already', 'déjà vendu'))
      scale.reply = '00.000'
      await expect(dialog.getByText(localize('No load', 'Aucune charge'))).toBeVisible()
      scale.reply = '00.512'
      await expect(dialog.getByText(localize('0.500 kg net', '0,500 kg net'))).toBeVisible()
      await add(localize('$6.45', '6,45 $')).click()
      await expect(dialog).toBeHidden()
      await expect(rows.nth(1)).toContainText(localize('tare 0.012 kg', 'tare 0,012 kg'))
    })

    await test.step('a typed weight needs approval', async () => {
      await find('4023')
      await dialog.getByRole('button', { name: localize('Typed', 'Entré') }).click()
      await expect(dialog.getByRole('textbox', { name: localize('Gross weight', 'Poids brut') })).toBeFocused()
      await window.keyboard.type(localize('1.000', '1,000'), { delay: PERSON_KEY_GAP_MS })
      await add(localize('$5.49', '5,49 $')).click()
      await expect(window.getByText(localize('Typed weight', 'Poids entré à la main'))).toBeVisible()
      await dialog.getByRole('button', { name: manager.name }).click()
      await window.keyboard.type(manager.pin, { delay: PERSON_KEY_GAP_MS })
      await window.keyboard.press('Enter')
      await expect(dialog).toBeHidden()
      await expect(rows).toHaveCount(3)
    })

    await test.step('a ribbon is measured in metres without approval', async () => {
      await find('1077')
      await window.keyboard.type('2.5', { delay: PERSON_KEY_GAP_MS })
      await window.keyboard.press('Enter')
      await expect(rows.nth(3)).toContainText(localize('2.50 m × $2.49/m', '2,50 m × 2,49 $/m'))
    })

    await test.step('the receipt shows net weight, tare and unit price', async () => {
      await window.keyboard.press('F9')
      const [paper = ''] = await store.printer.printed(1)
      expect(paper).toContain(localize('1.235 kg at $4.39/kg', '1,235 kg à 4,39 $/kg'))
      expect(paper).toContain(localize('0.500 kg net at $1.29/100 g', '0,500 kg net à 1,29 $/100 g'))
    })
  })
}
