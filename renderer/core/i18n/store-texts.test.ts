import { globSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import ofStore from '../../../contracts/i18n/en-CA/screens-of-store.ts'

/** Loaded with the store's pages, after their texts. */
const FOLDERS = [
  'catalog',
  'day/day-end',
  'day/drawer',
  'day/overview',
  'day/reports',
  'day/store-overview',
  'loyalty/offers-manager',
  'loyalty/queue',
  'operations/backups',
  'operations/connection',
  'operations/lane-check',
  'operations/support',
  'operations/updates',
  'payments/returns',
  'staff/audit',
  'staff/people',
  'staff/settings',
]
const OTHERS = [
  'day/journal-search',
  'loyalty/reconciliation-',
  'operations/(enrol-lane|far-ends|training-devices)\\.',
  'loyalty/member/history-panel\\.',
  'loyalty/offers/(offer-detail|offer-page|offers-panel)\\.',
  'testing/',
  'core/ui/denominations',
  '.*\\.fixture\\.',
].join('|')
const PAGES = new RegExp(`^renderer/((${FOLDERS.join('|')})/|${OTHERS})`)
/** State in these folders that is loaded with the sale. */
const LOADED_WITH_SALE = /\/(drawer-counts|returns|scanned-papers|unrecorded-return)\.ts$/

test('uses texts of the store’s pages on these pages only, because elsewhere they may not be loaded', () => {
  const used = new RegExp(`['\`](?:${Object.keys(ofStore).join('|')})\\.[a-z]`, 'i')
  const elsewhere = globSync('renderer/**/*.{ts,tsx}')
    .map((file) => file.replaceAll('\\', '/'))
    .filter((file) => (!PAGES.test(file) || LOADED_WITH_SALE.test(file)) && !file.includes('.test.'))
    .filter((file) => used.test(readFileSync(file, 'utf8')))
  expect(elsewhere).toEqual([])
})
