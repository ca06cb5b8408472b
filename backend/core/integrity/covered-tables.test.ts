import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openTestDatabase } from '../http/testing.ts'
import { coveredTables, WITHOUT_DIGEST } from './digests.ts'

/** Returns the list in docs/reliability.md: each table without a digest, with the reason. */
function listed(): Map<string, string> {
  const text = readFileSync(join(import.meta.dirname, '../../../docs/reliability.md'), 'utf8')
  const [, section = ''] = text.split('### Tables without a digest\n')
  const [list = ''] = section.split('\n#')
  return new Map(
    [...list.matchAll(/^\| ((?:`\w+`(?:, )?)+) \| (.+) \|$/gm)].flatMap(([, names = '', reason = '']) =>
      [...names.matchAll(/`(\w+)`/g)].map(([, name = '']) => [name, reason] as const),
    ),
  )
}

const tablesOf = async () => {
  const db = await openTestDatabase()
  const all = db
    .prepare<[], string>(
      "SELECT name FROM pragma_table_list WHERE schema = 'main' AND type <> 'view' AND name <> 'sqlite_schema'",
    )
    .pluck()
    .all()
  return { all, covered: new Set(coveredTables(db, WITHOUT_DIGEST).map(({ name }) => name)) }
}

test('every table is covered by a digest, or listed in docs/reliability.md with a reason', async () => {
  const { all, covered } = await tablesOf()
  const reasons = listed()
  expect(all.length).toBeGreaterThan(60)
  expect(all.filter((name) => !covered.has(name) && (reasons.get(name) ?? '').length < 20)).toEqual([])
})

test('docs/reliability.md lists only tables that exist and that no digest covers', async () => {
  const { all, covered } = await tablesOf()
  expect([...listed().keys()].filter((name) => covered.has(name) || !all.includes(name))).toEqual([])
  expect([...WITHOUT_DIGEST].filter((name) => !all.includes(name))).toEqual([])
})
