import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../../../../backend/core/http/testing.ts'

const PARTNER = '00000000-0000-4000-8000-000000000099'
const offer = (index: number, asks: number) => ({
  id: `00000000-0000-4000-8000-00000000000${index}`,
  partnerId: PARTNER,
  partnerLabel: 'Northstar Markets',
  awardShort: 'Get 50 miles',
  qualifierShort: 'when you spend $20',
  displayDate: '2026-11-01T00:00:00',
  startDate: '2026-11-01T00:00:00',
  endDate: '2026-12-31T23:59:59',
  programType: 'traditionalcore',
  massOffer: true,
  tiers: [{ awardValue: 50, qualifierValue: asks, awardLong: 'Get 50 miles', qualifierLong: 'when you spend $20' }],
  mechanisms: [{ mechanismType: 'noAction' }],
})

test('the benchmark program ranks each offer by its type, buy or spend, and by the basket', async () => {
  const file = join(temporaryFolder(), 'ranking.json')
  writeFileSync(
    file,
    JSON.stringify({
      // The offers require two pieces of a matched item, and $20 and $500 of the whole basket.
      offers: { buy: [offer(1, 2)], spend: [offer(2, 20), offer(3, 500)] },
      partnerId: PARTNER,
      matches: [{ id: offer(1, 2).id, skus: ['A'] }],
      now: '2026-11-25T12:00:00',
      states: [],
      lines: ['A', 'A', 'B'].map((sku) => ({
        sku,
        quantity: 1,
        amountCents: 900,
        departmentId: 'grocery',
        categoryId: null,
      })),
    }),
  )
  const { stdout } = await promisify(execFile)(process.execPath, [
    'packages/lab/testing/load/rank-offers.ts',
    file,
    '3',
    '1',
  ])
  const { samples, ranks } = JSON.parse(stdout)
  expect(samples).toHaveLength(3)
  expect(ranks).toEqual({ earned: 2, open: 1 })
})
