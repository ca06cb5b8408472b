import { createHash } from 'node:crypto'
import { expect, test, vi } from 'vitest'
import { z } from 'zod'
import { useCentral } from '../../packages/lab/testing/central.ts'
import { useStore } from '../../packages/lab/testing/store.ts'
import { openTerminalHarness, type TerminalHarness } from '../../packages/lab/testing/terminal-harness.ts'
import { APPLES, buy, DETERGENT, returnPieces } from '../../packages/lab/testing/return-steps.ts'
import { sell } from '../../packages/lab/testing/store-vouchers.ts'

const central = useCentral()
const store = useStore('01', '02')
const COLLECTOR = '80000000011'
const LATER = { timeout: 60_000, interval: 50 }

const Names = z.array(z.object({ name: z.string() }))
const Texts = z.array(z.object({ text: z.string().nullable() }))
async function dump(): Promise<string> {
  const tables = Names.parse(
    await store.query("SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public' ORDER BY 1"),
  )
  const texts: string[] = []
  for (const { name } of tables) {
    const [row] = Texts.parse(await store.query(`SELECT string_agg(t::text, ' ') AS text FROM ${name} AS t`))
    texts.push(`${name}: ${row?.text ?? ''}`)
  }
  return texts.join('\n')
}
const pushed = (lane: TerminalHarness) =>
  vi.waitFor(
    async () => expect((await lane.call('GET', '/api/store')).body).toMatchObject({ kind: 'connected', untold: 0 }),
    LATER,
  )
const formsOf = (secret: string): string[] => [
  secret,
  Buffer.from(secret).toString('hex'),
  Buffer.from(secret).toString('base64').replace(/=+$/, ''),
  createHash('sha256').update(secret).digest('hex'),
]

const Sealed = z.array(z.object({ body: z.string(), sealed: z.string() }))
/**
 * Returns the facts that contain this PIN. Times and amounts contain such digits by chance, so only a whole number
 * counts.
 */
async function pinFactsWith(pin: string): Promise<number> {
  const facts = Sealed.parse(await store.query("SELECT body::text, sealed FROM fact WHERE kind = 'person-pin'"))
  expect(facts, 'it was pushed').not.toEqual([])
  const forms = new RegExp(`(?<!\\d)(${formsOf(pin).join('|')})(?!\\d)`)
  return facts.filter(({ body, sealed }) =>
    [body, sealed, Buffer.from(sealed, 'base64').toString('latin1')].some((text) => forms.test(text)),
  ).length
}

test('a dump of the store server’s database contains no collector number, voucher code or PIN', async ({ skip }) => {
  const lane = await openTerminalHarness(central, { staffId: 'sam', store: store.place(skip, '01'), laneId: '01' })
  await pushed(lane)
  // A sale with miles paid and earned, a partial return of it, and a held sale with a card.
  const sale = await buy(lane, [[DETERGENT, 2]], { card: 'fine', units: 1 })
  await lane.untilOperation('issue', 'confirmed')
  // On a busy machine the store server may answer late; a cashier would then try again.
  await vi.waitFor(() => returnPieces(lane, sale, [1, 1]), LATER)
  await lane.ring(DETERGENT)
  const { id, version } = await lane.swipe('fine')
  expect((await lane.call('POST', `/api/sales/${id}/hold`, { version, name: 'Held' })).status).toBe(200)
  const code = await sell(lane, 2_000)
  const pin = await lane.call('POST', '/api/people/alex/reset-pin', {})
  const { pin: given } = z.object({ pin: z.string() }).parse(pin.body)
  await pushed(lane)
  await vi.waitFor(
    async () =>
      expect(await store.query("SELECT state FROM held_sale WHERE lane = '01'")).toEqual([{ state: 'waiting' }]),
    {
      ...LATER,
    },
  )

  const all = await dump()
  for (const shown of [sale.id, id, COLLECTOR.slice(-4), code.slice(-4), 'person-pin'])
    expect(all, 'it was pushed').toContain(shown)
  for (const secret of [COLLECTOR, code]) expect(formsOf(secret).filter((form) => all.includes(form))).toEqual([])
  expect(await pinFactsWith(given)).toBe(0)
  // Verifies the search: it finds a PIN in the body and in an unsealed secret.
  await store.query(`UPDATE fact SET body = body || '{"pin": "${given}"}' WHERE kind = 'person-pin'`)
  expect(await pinFactsWith(given)).toBe(1)
  const open = Buffer.from(JSON.stringify({ key: given })).toString('base64')
  await store.query(`UPDATE fact SET body = body - 'pin', sealed = '${open}' WHERE kind = 'person-pin'`)
  expect(await pinFactsWith(given)).toBe(1)
})

test('a held sale is sent to the store even when its name has a character that PostgreSQL cannot store', async ({
  skip,
}) => {
  const lane = await openTerminalHarness(central, { store: store.place(skip, '02'), laneId: '02' })
  await vi.waitFor(
    async () => expect((await lane.call('GET', '/api/store')).body).toMatchObject({ kind: 'connected' }),
    LATER,
  )
  const { id, version } = await lane.ring(APPLES)
  expect((await lane.call('POST', `/api/sales/${id}/hold`, { version, name: 'A\u0000nna' })).status).toBe(200)
  await vi.waitFor(
    async () =>
      expect(await store.query("SELECT name, state FROM held_sale WHERE lane = '02'")).toEqual([
        { name: 'A\ufffdnna', state: 'waiting' },
      ]),
    LATER,
  )
})
