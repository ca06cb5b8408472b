import type { Locator } from '@playwright/test'
import { describe, expect, test } from 'vitest'
import { withMember } from './sales.ts'
import { miles, press, type Scene } from './scene.ts'
import { SCENES } from './scenes.ts'
import { LANGUAGES } from './stage.ts'
import { useStage } from './use-stage.ts'

/** Everything that a lane can have, and all of it well. */
const EQUIPPED: Scene = {
  set: ({ state }) => { state.answers['GET /api/devices'] = { status: 200, body: { devices: [...['card-reader', 'scanner', 'printer', 'line-display'].map((role) => ({ role, state: 'ready', detail: null })), { role: 'drawer', state: 'ready', position: 'closed', detail: null }] } } },
}
/** Paid in part, which gives the total a second row, and with a remark on the sale: the payment has the least room. */
const half = withMember({ tenders: [miles], note: 'Pour Mme Bélanger, livrer jeudi avant 17 h' })
/** What is decided is seen whole before it is confirmed, without scrolling, on the smallest screens of a lane. */
const SIZES = [{ width: 1024, height: 768 }, { width: 1280, height: 800 }] as const
const stage = useStage()

/** How many pixels of an element lie outside of what is shown of it: of the window, and of whatever around it scrolls. */
const hiddenOf = (part: Locator): Promise<number> => part.evaluate((element) => {
  const { top, bottom } = element.getBoundingClientRect()
  let [from, to] = [0, window.innerHeight]
  for (let around = element.parentElement; around; around = around.parentElement) {
    if (getComputedStyle(around).overflowY === 'visible') continue
    const box = around.getBoundingClientRect()
    from = Math.max(from, box.top)
    to = Math.min(to, box.bottom)
  }
  return Math.round(Math.max(from - top, bottom - to, 0))
})

describe.each(LANGUAGES)('in %s', (language) => {
  describe.each(SIZES)('at $width × $height', (size) => {
    test.each(['return-six', 'return-six-exchange'])('%s: the goods, what goes back in which form, why, until when, the reason and the button', async (name) => {
      const scene = SCENES[name]
      if (!scene) throw new Error(`no scene ${name}`)
      const { page, faults } = await stage().show(scene, language, size)
      expect(faults).toEqual([])
      const parts = [...await page.getByRole('row').all(), ...await page.getByRole('listitem').all(), ...await page.getByRole('timer').all(), ...await page.getByRole('textbox').all(), ...await page.getByRole('radiogroup').locator('label').all(), page.getByRole('button', { name: /^(Give|Remettre|Pay the sale|Payer la vente) / })]
      expect(parts.length).toBeGreaterThan(16)
      const hidden = await Promise.all(parts.map(async (part) => [await part.textContent(), await hiddenOf(part)]))
      expect(hidden.filter(([, pixels]) => pixels !== 0)).toEqual([])
    })

    test('every device that is well has its whole place in the bar', async () => {
      const { page, faults } = await stage().show(EQUIPPED, language, size)
      expect(faults).toEqual([])
      const drawer = page.getByRole('banner').getByRole('button', { name: /^(Drawer|Tiroir)/ })
      expect(await drawer.evaluate((place) => {
        const bar = place.parentElement?.getBoundingClientRect()
        const { left, right } = place.getBoundingClientRect()
        return bar !== undefined && left >= bar.left && right <= bar.right
      })).toBe(true)
    })

    test.each(['F6', 'F7'])('%s: every key of the pad', async (key) => {
      const { page, faults } = await stage().show({ sale: half, act: press(key) }, language, size)
      expect(faults).toEqual([])
      expect(await hiddenOf(page.getByRole('button', { name: /^(Erase last digit|Effacer le dernier chiffre)$/ }))).toBe(0)
    })

    test('the tools beside a quantity that is being changed stand apart and inside of their bar', async () => {
      const { page, faults } = await stage().show({ sale: withMember(), act: press('F3') }, language, size)
      expect(faults).toEqual([])
      const bar = page.locator('footer').filter({ has: page.getByRole('textbox') })
      const words = await bar.getByRole('button').evaluateAll((buttons) => buttons.filter((button) => button.getClientRects().length > 0).map((button) => ({ name: button.textContent, over: button.scrollWidth - button.clientWidth })))
      expect(words.length).toBeGreaterThan(3)
      expect(words.filter(({ over }) => over > 0)).toEqual([])
      expect(await bar.evaluate((element) => element.scrollWidth - element.clientWidth)).toBeLessThanOrEqual(0)
    })

    test('the cards of the terminal’s page hold their words and buttons', async () => {
      const { page, faults } = await stage().show({ path: '/manager/terminal', act: async (window) => { await window.getByRole('button', { name: /^(Miles not applied|Milles non appliqués)$/ }).waitFor() } }, language, size)
      expect(faults).toEqual([])
      const over = await page.getByRole('main').getByRole('listitem').evaluateAll((cards) => cards.filter((card) => card.scrollWidth > card.clientWidth).map((card) => card.textContent))
      expect(over).toEqual([])
    })

    test('what became of the receipt is read whole beside its name', async () => {
      const { page, faults } = await stage().show({ sale: withMember(), act: async (window, terminal) => {
        const sale = { ...withMember({ tenders: [miles] }), version: 9, revision: 9, state: 'completed' as const }
        terminal.push({ type: 'sale-changed', cause: 'tender', sale })
        await window.getByRole('article').waitFor()
        terminal.push({ type: 'print-job', paper: 'sale', saleId: sale.id, state: 'unknown', copy: 0, totalCents: sale.totals.totalCents, voucher: null, notOnPaper: 1 })
        await window.getByText(/^(Printer stopped half-way|Impression interrompue)/).waitFor()
      } }, language, size)
      expect(faults).toEqual([])
      expect(await page.getByText(/^(Printer stopped half-way|Impression interrompue)/).evaluate((tag) => {
        const room = tag.closest('header')
        return room === null ? null : Math.max(room.scrollWidth - room.clientWidth, tag.scrollWidth - tag.clientWidth)
      })).toBe(0)
    })

    test('a message squeezes no picture, and every thing to do before a sale can be scrolled to', async () => {
      const { page, faults } = await stage().show({ ...SCENES['sale-empty-last'], act: async (window, terminal) => {
        terminal.push({ type: 'scan-unknown', code: '0999999999993' })
        terminal.push({ type: 'scan-unknown', code: '0999999999994' })
        await window.getByRole('alert').first().waitFor()
      } }, language, size)
      expect(faults).toEqual([])
      const picture = page.getByRole('heading', { name: /^(Ready for|Prêt pour)/ }).locator('xpath=preceding-sibling::*[1]')
      const { width, height } = await picture.boundingBox() ?? { width: 0, height: -1 }
      expect(height).toBe(width)
    })
  })
})
