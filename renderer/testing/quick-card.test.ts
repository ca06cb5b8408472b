import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { cardMarkdown, cardSides } from './quick-card.ts'

const card = (ending: string): string => fileURLToPath(new URL(`../../docs/quick-card.${ending}`, import.meta.url))

test('the card in the documents is what the terminal does today', () => {
  expect(readFileSync(card('md'), 'utf8'), 'npm run quick-card').toBe(cardMarkdown(cardSides()))
})

test('the page for the counter is one, and names every action and its keys in both languages', () => {
  const text = execFileSync('pdftotext', ['-raw', card('pdf'), '-'], { encoding: 'utf8' })
  expect(text.split('\f').filter((page) => page.trim() !== '')).toHaveLength(1)
  const flat = text.replaceAll(/\s+/g, ' ')
  for (const { groups } of cardSides()) {
    for (const { words, keys } of groups.flatMap(({ lines }) => lines))
      expect(flat, `npm run quick-card: ${words}`).toContain([words, ...keys].join(' '))
  }
})
