import type { Page } from '@playwright/test'
import type { ScreenFixture, ScreenFixtures } from './screen-fixture.ts'
import { withMember } from './sales.ts'

const onTheScreen = (page: Page) => page.getByRole('group', { name: /^(On-screen keyboard|Clavier à l’écran)$/ })

const touched = (openField: (page: Page) => Promise<void>, ...keys: RegExp[]): ScreenFixture => ({
  sale: withMember(),
  act: async (page) => {
    await openField(page)
    await onTheScreen(page).waitFor()
    for (const name of keys) await onTheScreen(page).getByRole('button', { name }).tap()
  },
})
const reference = async (page: Page): Promise<void> => {
  await page.getByRole('button', { name: /^(Card|Carte)/ }).tap()
  await page.getByRole('textbox').last().tap()
}

export const KEYBOARD: ScreenFixtures = {
  'keyboard-search': touched((page) => page.getByRole('searchbox').tap(), /^c$/, /^o$/),
  'keyboard-letters': touched(reference, /^a$/, /^4$/),
  'keyboard-signs': touched(reference, /(Letters or symbols|Lettres ou symboles)$/),
  'keyboard-digits': touched(async (page) => {
    await page.getByRole('button', { name: /^(Qty|Qté)/ }).tap()
    await page.getByRole('textbox', { name: /^(Quantity|Quantité)/ }).tap()
  }),
  'keyboard-dialog': touched(async (page) => {
    await page.keyboard.press('Control+l')
    await page.getByRole('dialog').getByRole('textbox').tap()
  }, /^e$/),
}
