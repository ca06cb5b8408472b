import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { KNOWN_COLUMNS, stageCatalog } from './editions/load.ts'
import { openStaging } from './editions/staging.ts'
import { temporaryFolder } from '../core/http/testing.ts'
import store from '../../contracts/i18n/en-CA/screens/store.ts'

const guide = readFileSync(new URL('../../docs/manager.md', import.meta.url), 'utf8')

test('finds every group of the Store screen in the manager’s guide', () => {
  const [sentence = ''] = /They are in .*/.exec(guide) ?? []
  for (const group of Object.values(store.store.groups)) expect(sentence).toContain(group)
})

test('finds every column of the catalog file in the manager’s guide', () => {
  const names = guide.split('\n').flatMap((line) => (line.startsWith('| `') ? (line.split('|')[1] ?? '') : []))
  for (const column of KNOWN_COLUMNS) expect(names.join()).toContain(`\`${column}\``)
})

test('imports the example of a catalog file that is in the manager’s guide', () => {
  const file = join(temporaryFolder(), 'catalog.csv')
  writeFileSync(file, /```csv\n(.*?)```/s.exec(guide)?.[1] ?? '')
  const staging = openStaging()
  try {
    expect(stageCatalog(file, staging, { timeZone: 'America/Toronto' })).toMatchObject({ items: 2 })
  } finally {
    staging.close()
  }
})
