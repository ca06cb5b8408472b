import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { PROMOTION_FIELDS } from '../../contracts/catalog/promotion-fields.ts'
import { CHARGE_TABLE, COUPON_TABLE, MANUFACTURER_COUPON_TABLE, tableColumns } from './book-columns.ts'
import { KNOWN_COLUMNS, stageCatalog } from './editions/load.ts'
import { openStaging } from './editions/staging.ts'
import { temporaryFolder } from '../core/http/testing.ts'
import texts from '../../contracts/i18n/en-CA/screens/after-sign-in.ts'

const guide = readFileSync(new URL('../../docs/manager.md', import.meta.url), 'utf8')

test('the manager’s guide describes every group of the Store screen', () => {
  const [sentence = ''] = /They are in .*/.exec(guide) ?? []
  for (const group of Object.values(texts.store.groups)) expect(sentence).toContain(group)
})

test('the manager’s guide names each page under the group of the Store screen that contains it', () => {
  const source = readFileSync(new URL('../../renderer/store-pages.tsx', import.meta.url), 'utf8')
  const { groups, ...names } = texts.store as Record<string, unknown> & { readonly groups: Record<string, string> }
  const menu = Object.entries(groups).flatMap(([id, group]) => {
    const sections = new RegExp(`id: '${id}',\\s+sections: \\[([^\\]]*)\\]`).exec(source)?.[1] ?? ''
    return [...sections.matchAll(/id: '([\w-]+)'/g)].map(([, page = '']) => `${group}, ${String(names[page])}`)
  })
  const references = [...guide.matchAll(/\*((?:Today|Sales|Miles|Setup|Lane), [^,*]+)/g)].map(([, name]) => name)
  expect(references).toContain('Sales, Reports')
  expect(references.filter((name) => !menu.includes(name ?? ''))).toEqual([])
})

test('the manager’s guide describes every column of the catalog file', () => {
  const names = guide.split('\n').flatMap((line) => (line.startsWith('| `') ? (line.split('|')[1] ?? '') : []))
  for (const column of KNOWN_COLUMNS) expect(names.join()).toContain(`\`${column}\``)
})

test('the manager’s guide describes every column of the file of promotions', () => {
  const section = guide.slice(guide.indexOf('### Promotions'))
  for (const column of PROMOTION_FIELDS) expect(section).toContain(`\`${column}\``)
})

test('the manager’s guide describes every column of the files of coupons and of deposits', () => {
  const [, coupons = '', charges = ''] = guide.slice(guide.indexOf('### Files of')).split('| column of a ')
  for (const column of [...tableColumns(COUPON_TABLE), ...tableColumns(MANUFACTURER_COUPON_TABLE)])
    expect(coupons).toContain(`\`${column}\``)
  for (const column of tableColumns(CHARGE_TABLE)) expect(charges).toContain(`\`${column}\``)
})

test('the example of a catalog file in the manager’s guide can be imported', () => {
  const file = join(temporaryFolder(), 'catalog.csv')
  writeFileSync(file, /```csv\n(.*?)```/s.exec(guide)?.[1] ?? '')
  const staging = openStaging()
  try {
    expect(stageCatalog(file, staging, { timeZone: 'America/Toronto' })).toMatchObject({ items: 2 })
  } finally {
    staging.close()
  }
})
