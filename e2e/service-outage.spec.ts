import { PATHS } from './central.ts'
import { CASHIER } from './lane.ts'
import { readyToRedeem } from './ready-to-redeem.ts'
import { COLLECTORS, ean13, expect, ITEMS, test } from './store.ts'
import { openTerminal, presentCard } from './terminal.ts'

test('of two simultaneous requests to redeem, one is refused and one redemption is made', async ({ store }) => {
  const { central } = store
  const { client, sale } = await readyToRedeem(store)
  const before = await central.account(COLLECTORS.fine)
  const tap = () =>
    client.call('POST', `/api/sales/${sale.id}/redemption`, {
      version: sale.version,
      units: 2,
    })
  const answers = await Promise.all([tap(), tap()])
  expect(answers.map(({ status }) => status).toSorted((one, other) => one - other)).toEqual([200, 409])
  const after = await central.account(COLLECTORS.fine)
  expect(before.balances.cash - after.balances.cash).toBe(2 * 95)
  expect(await central.requests(PATHS.redeem)).toHaveLength(1)
})

test('a sale continues while the loyalty service is down, and its miles are issued when the service is back', async ({
  store,
}) => {
  const { central, lane, scanner, reader } = store
  const client = await openTerminal(lane, CASHIER)
  // A scheduled outage rejects these calls without processing them.
  for (const path of [PATHS.inquire, PATHS.calculate, PATHS.issue])
    await central.faults({
      path,
      times: 1000,
      action: { kind: 'answer', status: 503, body: { responseCode: '0092', message: 'Scheduled maintenance' } },
    })
  await scanner.send(ean13(ITEMS.detergent.code))
  await presentCard(client, reader, COLLECTORS.fine)
  const { sale } = await client.first(
    'sale-changed',
    (event) => event.sale.member?.noRedemption === 'central-outage' && event.sale.lines.length === 1,
  )
  expect(sale.redemptionChoice).toBeNull()
  const before = await central.account(COLLECTORS.fine)
  const paid = await client.call('POST', `/api/sales/${sale.id}/tenders`, {
    kind: 'cash',
    version: sale.version,
    tenderedCents: 5000,
  })
  expect(paid.body.sale.state).toBe('completed')
  await client.first('queue-changed', ({ summary }) => summary.waiting === 1 && summary.sending === 0)
  await central.clearFaults()
  await client.first('sale-changed', (event) => event.sale.issuance?.state === 'confirmed')
  const after = await central.account(COLLECTORS.fine)
  expect(after.balances.cash + after.balances.dream).toBeGreaterThan(before.balances.cash + before.balances.dream)
})

test('an ISSUE queued during an outage is sent once, also after a kill of the lane', async ({ store }) => {
  const { central, lane, scanner, reader } = store
  const client = await openTerminal(lane, CASHIER)
  await scanner.send(ean13(ITEMS.detergent.code))
  await presentCard(client, reader, COLLECTORS.fine)
  const { sale } = await client.first(
    'sale-changed',
    (event) => event.sale.member?.state === 'known' && event.sale.lines.length === 1,
  )
  const before = await central.account(COLLECTORS.fine)
  await central.stop()
  await client.call('POST', `/api/sales/${sale.id}/tenders`, {
    kind: 'cash',
    version: sale.version,
    tenderedCents: 5000,
  })
  await client.first(
    'queue-changed',
    ({ summary }) => summary.waiting === 1 && summary.sending === 0 && summary.central === 'offline',
  )
  await lane.kill()
  await lane.restart()
  await central.start()
  await central.reached(PATHS.issue, 1, 'processed')
  const again = await openTerminal(lane, CASHIER)
  await expect
    .poll(async () => (await again.call('GET', `/api/sales/${sale.id}`)).body.sale.issuance?.state)
    .toBe('confirmed')
  const after = await central.account(COLLECTORS.fine)
  expect(after.balances.cash + after.balances.dream).toBeGreaterThan(before.balances.cash + before.balances.dream)
  expect(await central.requests(PATHS.issue)).toHaveLength(1)
})
