import { globSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import ofStore from '../../contracts/i18n/en-CA/screens-of-store.ts'

/** Loaded with the store's pages, behind their words. */
const FEATURES = [
  'audit',
  'backups',
  'catalog',
  'connection',
  'day-end',
  'drawer',
  'enrolment',
  'history-panel',
  'journal-search',
  'lane-check',
  'offers-manager',
  'offers-panel',
  'overview',
  'queue',
  'reconciliation',
  'reports',
  'returns',
  'settings',
  'staff',
  'store-overview',
  'support',
  'training',
  'updates',
]
const PAGES = new RegExp(
  `^renderer/(features/(${FEATURES.join('|')})/|features/status-bar/terminal-page|testing/|ui/denominations)`,
)

test('words of the store’s pages are used by these pages alone: elsewhere they may not be here yet', () => {
  const used = new RegExp(`['\`](?:${Object.keys(ofStore).join('|')})\\.[a-z]`, 'i')
  const elsewhere = globSync('renderer/**/*.{ts,tsx}')
    .map((file) => file.replaceAll('\\', '/'))
    .filter((file) => !PAGES.test(file) && !file.includes('.test.'))
    .filter((file) => used.test(readFileSync(file, 'utf8')))
  expect(elsewhere).toEqual([])
})
