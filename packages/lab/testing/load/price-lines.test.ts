import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../../../../backend/core/http/testing.ts'

test('the benchmark program prices each basket with the promotions of its items', async () => {
  const file = join(temporaryFolder(), 'pricing.json')
  const names = { 'en-CA': 'Half', 'fr-CA': 'Moitié' }
  const items = { kind: 'items', skus: ['A'] }
  writeFileSync(
    file,
    JSON.stringify({
      promotions: [{ id: 'half', names, items, reward: { kind: 'percent', ppm: 500_000 } }],
      items: [
        { sku: 'A', cents: 200 },
        { sku: 'B', cents: 900 },
      ],
    }),
  )
  const args = ['packages/lab/testing/load/price-lines.ts', file, '2', '3', '1']
  const { stdout } = await promisify(execFile)(process.execPath, args)
  const { samples, reducedCents } = JSON.parse(stdout) as { samples: number[]; reducedCents: number }
  expect(samples).toHaveLength(3)
  // Item A is the first line (one piece) of two of the four baskets, and the second (two pieces) of the other two.
  expect(reducedCents).toBe(2 * 100 + 2 * 200)
})
