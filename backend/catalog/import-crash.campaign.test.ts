import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openTestDatabase, temporaryFolder } from '../core/http/testing.ts'
import { CATALOG_HEAD, openCatalogFixture } from './catalog.fixture.ts'

const PROGRAM = join(import.meta.dirname, '../../packages/lab/testing/crashes/catalog-import.ts')
const OLD = ['1,0628451101512,Milk,Lait,5.49,zero-rated,dairy,', '2,,Soap,Savon,2.00,standard,care,']
const NEW = Array.from({ length: 4_000 }, (_, index) => `N${index},,Item ${index},Article ${index},1.00,standard,x,`)

async function run(...given: string[]): Promise<unknown> {
  const child = spawn(process.execPath, [PROGRAM, ...given], { stdio: ['ignore', 'inherit', 'inherit'] })
  const [code, signal] = (await once(child, 'exit')) as [number | null, string | null]
  return signal ?? code
}

test.each([
  ['while the file is read', 'reading', 'old'],
  ['between the preview and “Apply”', 'compared', 'old'],
  ['in the transaction of “Apply”', 'in-transaction', 'old'],
  ['between the commit of “Apply” and the subsequent steps', 'committed', 'new'],
  ['after the import was applied', 'applied', 'new'],
  ['in the transaction that undoes the import', 'undo', 'new'],
  ['between the commit of the undo and the subsequent steps', 'undone', 'old'],
])(
  'after a kill %s, the lane sells either from the whole old catalog or from the whole new one',
  async (_what, step, left) => {
    const folder = temporaryFolder()
    const files = temporaryFolder()
    const profileFile = join(files, 'catalog.csv')
    const csv = join(files, 'prices.csv')
    writeFileSync(profileFile, [CATALOG_HEAD, ...OLD].join('\n'))
    writeFileSync(csv, [CATALOG_HEAD, ...NEW].join('\n'))
    expect(await run(folder, profileFile, csv, step)).toBe('SIGKILL')

    const { catalog, everything, imports } = await openCatalogFixture({ db: await openTestDatabase(folder), folder })
    expect(await catalog.open(profileFile)).toEqual({ unchanged: true })
    expect(everything()).toHaveLength(left === 'old' ? OLD.length : NEW.length)
    expect(catalog.findBySku('1') === undefined).toBe(left === 'new')
    expect(catalog.search(left === 'old' ? 'soap' : 'item 3999', 1)).toHaveLength(1)
    expect(imports.state()).toMatchObject({ import: null, previous: left === 'old' ? null : { origin: 'profile' } })
    // The files that the killed import left are deleted.
    expect(readdirSync(join(folder, 'catalog'))).toHaveLength(left === 'old' ? 1 : 2)
  },
)
