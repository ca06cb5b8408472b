import { request as httpRequest } from 'node:http'
import type { Problem } from '../contracts/core/errors.ts'
import { CASHIER } from './lane.ts'
import { openPaperPrinter } from './paper.ts'
import { COLLECTORS, ean13, expect, ITEMS, test, track2 } from './store.ts'
import { openTerminal, presentCard } from './terminal.ts'

const PAYMENT_CARD = '4111111111111111'

test('the lane rejects a payment card swiped by mistake, and its number is in no file, log or event', async ({
  store,
}) => {
  const { lane, reader, scanner } = store
  const client = await openTerminal(lane, CASHIER)
  await reader.send(`%B${PAYMENT_CARD}^TREMBLAY/ALEX^2812101000000000?;${PAYMENT_CARD}=28121010000000000?\r`)
  await client.first('card-refused', ({ reason }) => reason === 'not-a-program-card')
  client.forget()
  await scanner.send(`;${PAYMENT_CARD}=28121010000000000?\r`)
  await client.first('card-refused', ({ reason }) => reason === 'not-a-program-card')
  expect(JSON.stringify(client.events())).not.toContain(PAYMENT_CARD.slice(0, 12))
  await reader.send(track2(COLLECTORS.fine))
  await client.first('card-read', ({ last4 }) => last4 === '0011')
  await lane.process.stop()
  expect(await lane.diskHolds(PAYMENT_CARD)).toBe(false)
  expect(await lane.diskHolds('TREMBLAY/ALEX')).toBe(false)
})

test('the lane stores no collector number in plain text, also while an ISSUE waits for the loyalty service', async ({
  store,
}) => {
  const { lane, reader, scanner, central } = store
  const client = await openTerminal(lane, CASHIER)
  await scanner.send(ean13(ITEMS.detergent.code))
  await presentCard(client, reader, COLLECTORS.fine)
  const { sale } = await client.first(
    'sale-changed',
    (event) => event.sale.member?.state === 'known' && event.sale.lines.length === 1,
  )
  await central.stop()
  await client.call('POST', `/api/sales/${sale.id}/tenders`, {
    kind: 'cash',
    version: sale.version,
    tenderedCents: 5000,
  })
  await client.first('queue-changed', ({ summary }) => summary.waiting === 1 && summary.sending === 0)
  await lane.kill()
  expect(await lane.diskHolds(COLLECTORS.fine)).toBe(false)
})

test('a window that was opened with an invalid link accepts a valid one in its place', async ({ store, page }) => {
  await page.goto(`${store.lane.url}/#launch=${'a'.repeat(43)}`)
  await expect(page.getByText('the newest link, or restart')).toBeVisible()
  await page.goto(store.lane.launchUrl)
  await expect(page.getByRole('button', { name: CASHIER.name })).toBeVisible()
})

test('the lane reports a card as unreadable if its track cannot be parsed', async ({ store }) => {
  const client = await openTerminal(store.lane, CASHIER)
  await store.reader.send('%E?;E?\r')
  await client.first('card-refused', ({ reason }) => reason === 'unreadable')
})

test('the lane reports the number of an unknown barcode and leaves the sale unchanged', async ({ store }) => {
  const client = await openTerminal(store.lane, CASHIER)
  await store.scanner.send(ean13(ITEMS.apples.code))
  await client.first('sale-changed')
  await store.scanner.send(ean13('4006381333931'))
  await client.first('scan-unknown', ({ code }) => code.endsWith('4006381333931'))
  expect((await client.current())?.lines).toHaveLength(1)
})

test('a sale completes without a printer; its first printed receipt is an original, and the second is a copy', async ({
  store,
}) => {
  const { lane, scanner, printer } = store
  const client = await openTerminal(lane, CASHIER)
  await printer.close()
  await scanner.send(ean13(ITEMS.detergent.code))
  const { sale } = await client.first('sale-changed')
  const paid = await client.call('POST', `/api/sales/${sale.id}/tenders`, {
    kind: 'cash',
    version: sale.version,
    tenderedCents: 2260,
  })
  expect(paid.body.sale.state).toBe('completed')
  await expect
    .poll(() => client.events().filter((event) => event.type === 'print-job'), { timeout: 15_000 })
    .toEqual([expect.objectContaining({ state: 'failed' })])
  const back = await openPaperPrinter(printer.port)
  await client.call('POST', `/api/sales/${sale.id}/reprint`)
  const [paper] = await back.printed(1)
  expect(paper).toContain('22.59')
  expect(paper).not.toMatch(/copy/i)
  await client.first('print-job', ({ state }) => state === 'confirmed')
  await client.call('POST', `/api/sales/${sale.id}/reprint`)
  expect((await back.printed(2))[1]).toMatch(/copy/i)
  await back.close()
})

test('a payment from a screen that shows an older version of the sale is rejected, and the sale stays open', async ({
  store,
}) => {
  const client = await openTerminal(store.lane, CASHIER)
  await store.scanner.send(ean13(ITEMS.detergent.code))
  const { sale } = await client.first('sale-changed')
  await store.scanner.send(ean13(ITEMS.apples.code))
  await client.first('sale-changed', (event) => event.sale.lines.length === 2)
  const problem = await client.refused('POST', `/api/sales/${sale.id}/tenders`, {
    kind: 'cash',
    version: sale.version,
    tenderedCents: 5000,
  })
  expect(problem).toMatchObject({ code: 'sale-stale', status: 409 })
  expect((await client.current())?.state).toBe('open')
})

interface RawCall {
  readonly method?: string
  readonly headers?: Record<string, string>
  readonly body?: string
}

/** Sends a request with any Host header, as another program on this machine could. */
function raw(
  url: string,
  { method = 'GET', headers = {}, body }: RawCall,
): Promise<{ status: number; problem: Problem }> {
  return new Promise((resolve, reject) => {
    const call = httpRequest(url, { method, headers }, (response) => {
      let text = ''
      response.on('data', (chunk: Buffer) => {
        text += chunk.toString()
      })
      response.on('end', () => {
        resolve({ status: response.statusCode ?? 0, problem: JSON.parse(text) as Problem })
      })
    })
    call.on('error', reject)
    call.end(body)
  })
}

test('the lane rejects calls from other origins and malformed calls, each with a message in both languages', async ({
  store,
}) => {
  const { url } = store.lane
  const json = { 'content-type': 'application/json', origin: url, 'idempotency-key': 'a-key-that-is-long-enough' }
  const cases: [string, string, RawCall][] = [
    ['session-required', '/api/sales/current', {}],
    ['host-refused', '/api/terminal', { headers: { host: 'attacker.example' } }],
    [
      'origin-refused',
      '/api/sign-in',
      { method: 'POST', headers: { ...json, origin: 'http://attacker.example' }, body: '{}' },
    ],
    ['origin-refused', '/api/terminal', { headers: { 'sec-fetch-site': 'cross-site' } }],
    [
      'body-too-large',
      '/api/session',
      { method: 'POST', headers: json, body: JSON.stringify({ launch: 'x'.repeat(300_000) }) },
    ],
    [
      'not-json',
      '/api/session',
      { method: 'POST', headers: { ...json, 'content-type': 'text/plain' }, body: 'launch' },
    ],
    ['body-invalid', '/api/session', { method: 'POST', headers: json, body: '{"launch":' }],
    [
      'launch-token-invalid',
      '/api/session',
      { method: 'POST', headers: json, body: JSON.stringify({ launch: 'a'.repeat(64), nonce: 'n'.repeat(36) }) },
    ],
    [
      'key-missing',
      '/api/session',
      {
        method: 'POST',
        headers: { ...json, 'idempotency-key': 'short' },
        body: JSON.stringify({ launch: 'a'.repeat(64), nonce: 'n'.repeat(36) }),
      },
    ],
    ['not-found', '/api/nothing-here', {}],
  ]
  for (const [code, path, call] of cases) {
    const { problem, status } = await raw(url + path, call)
    expect({ path, code: problem.code, status }).toEqual({ path, code, status: problem.status })
    expect(problem.messages['en-CA'].length).toBeGreaterThan(10)
    expect(problem.messages['fr-CA'].length).toBeGreaterThan(10)
    expect(problem.messages['fr-CA']).not.toBe(problem.messages['en-CA'])
  }
})
