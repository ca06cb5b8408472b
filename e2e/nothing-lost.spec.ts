import type { Sale } from '../contracts/api/sales.ts'
import { PATHS } from './centre.ts'
import { CASHIER } from './lane.ts'
import { readyToRedeem } from './ready-to-redeem.ts'
import { COLLECTORS, ean13, expect, ITEMS, test } from './store.ts'
import { openTerminal, presentCard } from './terminal.ts'

test.describe('the terminal is killed after REDEEM was sent and before its answer', () => {
  for (const { name, action } of [
    { name: 'the centre had already redeemed', action: { kind: 'hang-after' } },
    { name: 'the centre had not redeemed yet', action: { kind: 'hang-before' } },
  ]) {
    test(`after the restart ledger and terminal agree: ${name}`, async ({ store }) => {
      const { lane, centre, printer } = store
      const { client, sale } = await readyToRedeem(store)
      const before = await centre.ledger(COLLECTORS.fine)
      await centre.fault({ path: PATHS.redeem, times: 1, action })

      const asked = client
        .call('POST', `/api/sales/${sale.id}/redemption`, { version: sale.version, units: 4 })
        .catch(() => 'the connection died with the terminal')
      await centre.waitFor(PATHS.redeem, 1, action.kind === 'hang-after' ? 'processed' : 'received')
      await lane.kill()
      expect(await asked).toBe('the connection died with the terminal')

      await lane.restart()
      const again = await openTerminal(lane, CASHIER)
      await expect.poll(async () => (await again.current())?.redemption?.state).toBe('approved')
      const resumed = await again.current()
      expect(resumed).toMatchObject({
        id: sale.id,
        state: 'open',
        redemption: { units: 4, amountCents: 4000, miles: 380 },
        tenders: [{ kind: 'miles', amountCents: 4000 }],
      })

      const sent = await centre.requests(PATHS.redeem)
      expect(sent).toHaveLength(2)
      expect(sent[1]?.sha256).toBe(sent[0]?.sha256)
      expect(sent[1]?.headers['idempotency-key']).toBe(sent[0]?.headers['idempotency-key'])
      const after = await centre.ledger(COLLECTORS.fine)
      expect(before.balances.cash - after.balances.cash).toBe(4 * 95)

      const paid = await again.call('POST', `/api/sales/${sale.id}/tenders`, {
        kind: 'cash',
        version: resumed?.version,
        tenderedCents: 10_000,
      })
      expect(paid.body.sale.state).toBe('completed')
      await centre.waitFor(PATHS.issue, 1, 'processed')
      const papers = await printer.printed(1)
      expect(papers[0]).toContain(resumed?.redemption?.confirmationNumber)
      expect(await centre.balanced()).toBe(true)
      again.close()
    })
  }
})

test.describe('an answer that does not come', () => {
  test.use({ limits: { cashTimeoutMs: 400 } })

  test('one identical retry at once, and the collector pays once', async ({ store }) => {
    const { centre } = store
    const { client, sale } = await readyToRedeem(store)
    const before = await centre.ledger(COLLECTORS.fine)
    await centre.fault({ path: PATHS.redeem, times: 1, action: { kind: 'hang-after' } })
    const answer = await client.call('POST', `/api/sales/${sale.id}/redemption`, { version: sale.version, units: 9 })
    expect(answer.body.sale.redemption).toMatchObject({ state: 'approved', units: 9 })
    expect(
      client.events.some((event) => event.type === 'sale-changed' && event.sale.redemption?.outcome === 'retrying'),
    ).toBe(true)
    const sent = await centre.requests(PATHS.redeem)
    expect(sent.map(({ sha256 }) => sha256)).toEqual([sent[0]?.sha256, sent[0]?.sha256])
    const after = await centre.ledger(COLLECTORS.fine)
    expect(before.balances.cash - after.balances.cash).toBe(9 * 95)
  })

  test('twice without an answer: the cashier is told "not applied" and the sale can be paid otherwise', async ({
    store,
  }) => {
    const { centre } = store
    const { client, sale } = await readyToRedeem(store)
    await centre.fault({ path: PATHS.redeem, times: 9, action: { kind: 'hang-before' } })
    const answer = await client.call('POST', `/api/sales/${sale.id}/redemption`, { version: sale.version, units: 9 })
    expect(answer.body.sale).toMatchObject({
      state: 'open',
      tenders: [],
      redemption: { state: 'escalated', outcome: 'not-applied' },
      redemptionChoice: null,
    })
    expect(await centre.requests(PATHS.redeem)).toHaveLength(2)
    const paid = await client.call('POST', `/api/sales/${sale.id}/tenders`, {
      kind: 'card',
      version: answer.body.sale.version,
      amountCents: answer.body.sale.totals.dueCents,
      reference: 'T-1',
    })
    expect(paid.body.sale.state).toBe('completed')
  })
})

test('two taps on redeem are one redemption', async ({ store }) => {
  const { centre } = store
  const { client, sale } = await readyToRedeem(store)
  const before = await centre.ledger(COLLECTORS.fine)
  const tap = () =>
    client.call<{ sale?: Sale; code?: string }>('POST', `/api/sales/${sale.id}/redemption`, {
      version: sale.version,
      units: 2,
    })
  const answers = await Promise.all([tap(), tap()])
  expect(answers.map(({ status }) => status).toSorted((one, other) => one - other)).toEqual([200, 409])
  const after = await centre.ledger(COLLECTORS.fine)
  expect(before.balances.cash - after.balances.cash).toBe(2 * 95)
  expect(await centre.requests(PATHS.redeem)).toHaveLength(1)
})

test('cancelling a sale gives the redeemed miles back under a key of its own', async ({ store }) => {
  const { centre } = store
  const { client, sale } = await readyToRedeem(store)
  const before = await centre.ledger(COLLECTORS.fine)
  const redeemed = (await client.call('POST', `/api/sales/${sale.id}/redemption`, { version: sale.version, units: 3 }))
    .body.sale
  const cancelled = (await client.call('POST', `/api/sales/${sale.id}/cancel`, { version: redeemed.version })).body.sale
  expect(cancelled).toMatchObject({ state: 'cancelled', totals: { tenderedCents: 0 } })
  await client.event('sale-changed', (event) => event.sale.redemption?.state === 'reversed')
  const after = await centre.ledger(COLLECTORS.fine)
  expect(after.balances).toEqual(before.balances)
  const [redeem] = await centre.requests(PATHS.redeem)
  const [reverse] = await centre.requests(PATHS.reverse)
  expect(reverse?.headers['idempotency-key']).not.toBe(redeem?.headers['idempotency-key'])
  expect(await client.current()).toBeNull()
})

test('with the centre down the sale goes on, and the miles arrive when it is back', async ({ store }) => {
  const { centre, lane, scanner, reader } = store
  const client = await openTerminal(lane, CASHIER)
  // Every call finds a scheduled outage: nothing is looked at.
  for (const path of [PATHS.inquire, PATHS.calculate, PATHS.issue])
    await centre.fault({
      path,
      times: 1000,
      action: { kind: 'answer', status: 503, body: { responseCode: '0092', message: 'Scheduled maintenance' } },
    })
  await scanner.send(ean13(ITEMS.detergent.code))
  await presentCard(client, reader, COLLECTORS.fine)
  const { sale } = await client.event(
    'sale-changed',
    (event) => event.sale.member?.noRedemption === 'centre-outage' && event.sale.lines.length === 1,
  )
  expect(sale.redemptionChoice).toBeNull()
  const before = await centre.ledger(COLLECTORS.fine)
  const paid = await client.call('POST', `/api/sales/${sale.id}/tenders`, {
    kind: 'cash',
    version: sale.version,
    tenderedCents: 5000,
  })
  expect(paid.body.sale.state).toBe('completed')
  await client.event('queue-changed', ({ summary }) => summary.waiting === 1 && summary.sending === 0)
  await centre.clearFaults()
  await client.event('sale-changed', (event) => event.sale.issuance?.state === 'confirmed')
  const after = await centre.ledger(COLLECTORS.fine)
  expect(after.balances.cash + after.balances.dream).toBeGreaterThan(before.balances.cash + before.balances.dream)
})

test('with the services unreachable the queue waits without losing its turn, over a restart of the terminal too', async ({
  store,
}) => {
  const { centre, lane, scanner, reader } = store
  const client = await openTerminal(lane, CASHIER)
  await scanner.send(ean13(ITEMS.detergent.code))
  await presentCard(client, reader, COLLECTORS.fine)
  const { sale } = await client.event(
    'sale-changed',
    (event) => event.sale.member?.state === 'known' && event.sale.lines.length === 1,
  )
  const before = await centre.ledger(COLLECTORS.fine)
  await centre.stop()
  await client.call('POST', `/api/sales/${sale.id}/tenders`, {
    kind: 'cash',
    version: sale.version,
    tenderedCents: 5000,
  })
  await client.event(
    'queue-changed',
    ({ summary }) => summary.waiting === 1 && summary.sending === 0 && summary.centre === 'offline',
  )
  await lane.kill()
  await lane.restart()
  await centre.restart()
  await centre.waitFor(PATHS.issue, 1, 'processed')
  const again = await openTerminal(lane, CASHIER)
  await expect
    .poll(async () => (await again.call('GET', `/api/sales/${sale.id}`)).body.sale.issuance?.state)
    .toBe('confirmed')
  const after = await centre.ledger(COLLECTORS.fine)
  expect(after.balances.cash + after.balances.dream).toBeGreaterThan(before.balances.cash + before.balances.dream)
  expect(await centre.requests(PATHS.issue)).toHaveLength(1)
})
