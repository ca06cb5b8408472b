import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { useCentral } from '../../../packages/lab/testing/central.ts'
import { DETERGENT, buy } from '../../../packages/lab/testing/return-steps.ts'
import { openTerminalHarness } from '../../../packages/lab/testing/terminal-harness.ts'

const central = useCentral()

test.skipIf(process.platform === 'win32')(
  'only the owner of a lane can read its files, among them its catalog and the papers of the virtual printer',
  async () => {
    const here = await openTerminalHarness(central)
    const sale = await buy(here, [[DETERGENT, 1]])
    await here.printed(sale.id)
    // Close the lane first, because an open lane creates and renames files.
    await here.close()
    const files = readdirSync(here.folder, { recursive: true, encoding: 'utf8' })
    expect(files).toEqual(expect.arrayContaining([join('paper', '0001.txt'), expect.stringMatching(/^catalog.+\.db$/)]))
    expect(files.filter((file) => (statSync(join(here.folder, file)).mode & 0o077) !== 0)).toEqual([])
  },
)
