import type { Locator } from '@playwright/test'
import { describe, expect, test } from 'vitest'
import { SCENES } from './scenes.ts'
import { LANGUAGES } from './stage.ts'
import { useStage } from './use-stage.ts'

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
  })
})
