import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { createTranslator } from 'use-intl/core'
import { expect, test } from 'vitest'
import screens from '../../contracts/i18n/en-CA/screens.ts'
import { ACTIONS } from '../actions.ts'
import type { Action } from '../actions/action.ts'
import { keyName } from '../core/ui/key-names.ts'
import { cardMarkdown, cardSides } from './quick-card.ts'

const card = (ending: string): string => fileURLToPath(new URL(`../../docs/quick-card.${ending}`, import.meta.url))

test('the quick card in the documents is up to date', () => {
  expect(readFileSync(card('md'), 'utf8'), 'npm run lab quick-card').toBe(cardMarkdown(cardSides()))
})

test('the printed quick card is one page, with every action and its keys in both languages', () => {
  const text = execFileSync('pdftotext', ['-raw', card('pdf'), '-'], { encoding: 'utf8' })
  expect(text.split('\f').filter((page) => page.trim() !== '')).toHaveLength(1)
  const flat = text.replaceAll(/\s+/g, ' ')
  for (const { groups } of cardSides()) {
    for (const { text, keys } of groups.flatMap(({ lines }) => lines))
      expect(flat, `npm run lab quick-card: ${text}`).toContain([text, ...keys].join(' '))
  }
})

test('the quick card has every key that a cashier can press outside of training', () => {
  const localize = createTranslator({ locale: 'en-CA', messages: screens })
  const shown = new Set(cardSides()[0].groups.flatMap(({ lines }) => lines.flatMap(({ keys }) => keys)))
  const pressed = ACTIONS.filter((action: Action) => !action.trainingOnly).flatMap(({ keys }) => keys)
  expect(pressed.map((key) => keyName(key, localize)).filter((key) => !shown.has(key))).toEqual([])
})
