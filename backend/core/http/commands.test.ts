import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { openTerminalHarness, type TerminalHarness } from '../../../packages/lab/testing/terminal-harness.ts'
import { useCentral } from '../../../packages/lab/testing/central.ts'
import { COFFEE } from '../../../packages/lab/testing/return-steps.ts'
import { startTestServer } from './testing.ts'

const central = useCentral()

test('a changing call without an idempotency key, or with an invalid one, is refused', async () => {
  const server = await startTestServer({
    routes: () => [
      (app) => {
        app.post('/api/change', { config: { access: 'public' } }, () => ({ ok: true }))
        app.post('/api/ask', { config: { access: 'public', command: 'reading' } }, () => ({ ok: true }))
      },
    ],
  })
  for (const key of ['', 'short', 'x'.repeat(65), 'with a space, and long enough'])
    expect((await server.call('POST', '/api/change', { headers: { 'idempotency-key': key } })).json()).toMatchObject({
      code: 'key-missing',
    })
  expect((await server.call('POST', '/api/ask', { headers: { 'idempotency-key': '' } })).status).toBe(200)
})

test('a call repeated with its idempotency key gets the bytes of the first answer, marked as repeated', async () => {
  let rung = 0
  const server = await startTestServer({
    routes: () => [
      (app) => {
        const schema = { response: { 200: z.object({ rung: z.int() }) } }
        app.post('/api/ring', { schema, config: { access: 'public' } }, () => ({
          rung: ++rung,
          secret: 'not in the schema',
        }))
        expect(() => app.post('/api/late', { config: { access: 'public' } }, async () => ({}))).toThrow(
          /commits before/,
        )
      },
    ],
  })
  const headers = { 'idempotency-key': randomUUID() }
  const [first, second] = [
    await server.call('POST', '/api/ring', { headers }),
    await server.call('POST', '/api/ring', { headers }),
  ]
  expect(first.text).toBe('{"rung":1}')
  expect(second.text).toBe(first.text)
  expect([first.headers['idempotent-replayed'], second.headers['idempotent-replayed']]).toEqual([undefined, 'true'])
  expect((await server.call('POST', '/api/ring?other', { headers })).json()).toMatchObject({
    code: 'key-reused',
    status: 422,
  })
  expect(rung).toBe(1)
})

test('a wrong PIN counts once when its command is sent eight times with one idempotency key', async () => {
  const harness = await openTerminalHarness(central)
  await harness.ring(COFFEE)
  const sale = await harness.current()
  const command = { version: sale?.version, line: null, off: { kind: 'percent', ppm: 500_000 }, reason: 'damaged' }
  const path = `/api/sales/${sale?.id}/discounts`
  const asked = (await harness.call('POST', path, command)).body.approval
  const guess = { ...command, approval: { staffId: 'sam', pin: '0000', covers: asked?.covers } }
  const key = randomUUID()
  const answers = []
  for (let times = 0; times < 8; times += 1) answers.push((await harness.call('POST', path, guess, key)).body.code)
  expect(new Set(answers)).toEqual(new Set(['pin-wrong']))
  expect(harness.read("SELECT count(*) AS guesses FROM audit_entry WHERE kind = 'pin-wrong'")).toEqual([{ guesses: 1 }])
})

test('a repeated sign-in gets its lost answer, and its idempotency key works for no other person', async () => {
  const harness = await openTerminalHarness(central)
  const key = randomUUID()
  const signIn = () => harness.post('/api/sign-in', { staffId: 'sam', pin: '9999' }, key)
  const [first, second] = [await signIn(), await signIn()]
  expect([first.status, second.status]).toEqual([200, 200])
  expect(await second.text()).toBe(await first.text())
  expect((await harness.post('/api/sign-in', { staffId: 'alex', pin: '1234' }, key)).status).toBe(422)
})

test('after a sign-out, the answer of an earlier command is returned only for its own idempotency key', async () => {
  const harness = await openTerminalHarness(central)
  const key = randomUUID()
  const ring = () => harness.call('POST', '/api/sales/current/lines', { sku: COFFEE }, key)
  const { sale } = (await ring()).body
  await harness.call('POST', '/api/sign-out')
  expect((await ring()).body.sale).toEqual(sale)
  expect((await harness.call('POST', '/api/sales/current/lines', { sku: COFFEE })).body).toMatchObject({
    code: 'sign-in-required',
  })
})

test('another window never gets a command’s answer by its idempotency key, signed in or not', async () => {
  const harness = await openTerminalHarness(central)
  const key = randomUUID()
  const line = { sku: COFFEE }
  const ring = (window: Pick<TerminalHarness, 'call'>) => window.call('POST', '/api/sales/current/lines', line, key)
  const { sale } = (await ring(harness)).body
  const other = await harness.openWindow()
  expect((await ring(other)).body).toMatchObject({ code: 'sign-in-required' })
  await other.call('POST', '/api/sign-in', { staffId: 'alex', pin: '1234' })
  expect((await ring(other)).body).toMatchObject({ code: 'key-reused', status: 422 })
  expect((await ring(harness)).body.sale, 'its own window, now signed out').toEqual(sale)
})

test('a window’s earlier answers are returned only to the person who sent the commands', async () => {
  const harness = await openTerminalHarness(central)
  const key = randomUUID()
  const ring = (window: Pick<TerminalHarness, 'call'>) =>
    window.call('POST', '/api/sales/current/lines', { sku: COFFEE }, key)
  const { sale } = (await ring(harness)).body
  await harness.call('POST', '/api/sign-in', { staffId: 'sam', pin: '9999' })
  expect((await ring(harness)).body).toMatchObject({ code: 'key-reused' })
  await harness.call('POST', '/api/sign-in', { staffId: 'alex', pin: '1234' })
  expect((await ring(harness)).body.sale).toEqual(sale)
  const { folder, windowKey } = harness
  await harness.close()
  const again = await openTerminalHarness(central, { folder, windowKey })
  expect((await ring(again)).body.sale, 'after a restart and a sign-in of the same person').toEqual(sale)
})

test('a repeated sign-out gets its stored answer', async () => {
  const harness = await openTerminalHarness(central)
  const key = randomUUID()
  const signOut = () => harness.call('POST', '/api/sign-out', {}, key)
  expect([(await signOut()).status, (await signOut()).status]).toEqual([204, 204])
  const other = await harness.openWindow()
  expect((await other.call('POST', '/api/sign-out', {}, key)).body).toMatchObject({ code: 'key-reused' })
})

test('the idempotency key of a command gives no access to other routes', async () => {
  const harness = await openTerminalHarness(central)
  const key = randomUUID()
  const { sale } = (await harness.call('POST', '/api/sales/current/lines', { sku: COFFEE }, key)).body
  await harness.call('POST', '/api/sign-out')
  for (const [path, body] of [
    ['/api/returns/quote', { saleId: sale.id, lines: [{ number: 1, quantity: 1 }] }],
    ['/api/returns/without-record/quote', { items: [{ sku: COFFEE, quantity: 1 }] }],
    ['/api/session/active', {}],
  ] as const)
    expect((await harness.call('POST', path, body, key)).body, path).toMatchObject({ code: 'sign-in-required' })
})

test('a typed scan rings once per idempotency key, even after a restart', async () => {
  const harness = await openTerminalHarness(central)
  const key = randomUUID()
  const scan = { text: '0628451102533' }
  expect((await harness.call('POST', '/api/devices/keys', scan, key)).status).toBe(200)
  const rung = await harness.current()
  expect(rung?.lines).toHaveLength(1)
  const { folder, windowKey } = harness
  await harness.close()
  const again = await openTerminalHarness(central, { folder, windowKey })
  expect((await again.call('POST', '/api/devices/keys', scan, key)).status).toBe(200)
  expect((await again.current())?.lines).toEqual(rung?.lines)
  expect((await again.call('POST', '/api/devices/keys', { text: '1' }, key)).body).toMatchObject({ code: 'key-reused' })
})
