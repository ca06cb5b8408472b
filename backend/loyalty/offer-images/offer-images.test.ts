import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { BasketOffers } from '../../../contracts/loyalty/basket-offers.ts'
import { useCentral } from '../../../packages/lab/testing/central.ts'
import { openTerminalHarness, type TerminalHarness } from '../../../packages/lab/testing/terminal-harness.ts'
import { imageTypeOf } from './fetch-image.ts'

const central = useCentral()

async function picturesOf(harness: TerminalHarness): Promise<string[]> {
  const { id } = (await harness.current()) ?? (await harness.ring('1010'))
  const { offers } = BasketOffers.parse((await harness.call('GET', `/api/sales/${id}/offers`)).body)
  return offers.flatMap(({ image }) => image ?? [])
}

async function untilPictures(harness: TerminalHarness): Promise<string[]> {
  let found: string[] = []
  await expect
    .poll(
      async () => {
        found = await picturesOf(harness)
        return found.length
      },
      { timeout: 60_000 },
    )
    .toBeGreaterThan(0)
  return found
}

test('the lane serves the picture of an offer, but not to a page of another site', async () => {
  const harness = await openTerminalHarness(central)
  const [picture = ''] = await untilPictures(harness)
  const { status, type, bytes, headers } = await harness.file(picture)
  expect([status, type, imageTypeOf(bytes)]).toEqual([200, 'image/png', 'image/png'])
  expect(Object.fromEntries(headers)).toMatchObject({
    'cache-control': 'private, max-age=31536000, immutable',
    'x-content-type-options': 'nosniff',
    'cross-origin-resource-policy': 'same-origin',
  })
  expect(headers.get('content-security-policy')).toContain("default-src 'none'")
  // An image element cannot send the session header, so the route needs no session; it refuses pages of other sites.
  const foreign = await fetch(harness.url + picture, { headers: { 'sec-fetch-site': 'cross-site' } })
  expect(foreign.status).toBe(403)
})

test('pictures of offers are available at once after a restart, and a deleted cache counts as empty', async () => {
  const first = await openTerminalHarness(central)
  const before = await untilPictures(first)
  await first.close()
  await central.faults({ path: '/offers*', action: { kind: 'drop-before' } })
  const second = await openTerminalHarness(central, { folder: first.folder })
  expect(await untilPictures(second)).toEqual(expect.arrayContaining(before))
  await second.close()
  rmSync(join(first.folder, 'cache'), { recursive: true })
  const third = await openTerminalHarness(central, { folder: first.folder })
  expect(await picturesOf(third)).toEqual([])
  const [picture = ''] = before
  expect((await third.file(picture)).status).toBe(404)
})
