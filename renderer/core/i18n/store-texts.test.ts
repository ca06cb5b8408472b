import { globSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import ofStore from '../../../contracts/i18n/en-CA/screens-of-store.ts'

/** Folders whose files load after sign-in, after the later texts. */
const FOLDERS = [
  'catalog',
  'day/day-end',
  'day/drawer',
  'day/overview',
  'day/reports',
  'day/store-overview',
  'loyalty/member',
  'loyalty/offers',
  'loyalty/offers-manager',
  'loyalty/queue',
  'operations/backups',
  'operations/connection',
  'operations/lane-check',
  'operations/sounds',
  'operations/support',
  'operations/updates',
  'payments/returns',
  'sales',
  'staff/audit',
  'staff/people',
  'staff/settings',
]
const OTHERS = [
  'store-pages\\.',
  'day/journal-search',
  'loyalty/reconciliation-',
  'operations/(enrol-lane|virtual-devices|training-devices)\\.',
  'payments/earlier-sales/(earlier-sales-page|unprinted-documents|unsent-emails)\\.',
  // These wait for the texts themselves.
  'payments/receipt/delivery-form\\.',
  'payments/customer-display/',
  'testing/',
  'core/ui/(date-field|denominations|paper-warning|touch-keyboard)',
  'payments/receipt/voucher-documents',
  'staff/switch-cashier',
  '.*\\.fixture\\.',
].join('|')
const PAGES = new RegExp(`^renderer/((${FOLDERS.join('|')})/|${OTHERS})`)
/** Files in these folders that load with the sale screen. */
const LOADED_WITH_SALE = /\/(drawer-counts|returns|scanned-papers|unrecorded-return)\.ts$/

test('only files that load together with the texts of the Store pages use these texts', () => {
  const used = new RegExp(`['\`](?:${Object.keys(ofStore).join('|')})\\.[a-z]`, 'i')
  const elsewhere = globSync('renderer/**/*.{ts,tsx}')
    .map((file) => file.replaceAll('\\', '/'))
    .filter((file) => (!PAGES.test(file) || LOADED_WITH_SALE.test(file)) && !file.includes('.test.'))
    .filter((file) => used.test(readFileSync(file, 'utf8')))
  expect(elsewhere).toEqual([])
})
