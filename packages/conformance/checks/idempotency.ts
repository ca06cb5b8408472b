import { checksOf } from '../check.ts'
import * as expect from '../expect.ts'
import type { Received } from '../expect.ts'
import type { Client } from '../client.ts'
import type { CashCall, IssuanceCall } from '../requests.ts'
import { code } from './cash-codes.ts'
import { moved } from './issuance-codes.ts'
import { redeemed, reverse } from './cash-redeem.ts'

const { checks, check } = checksOf('idempotency', 3)
export const idempotencyChecks = checks

type Keyed = Exclude<CashCall, 'echo' | 'inquire'> | Exclude<IssuanceCall, 'record' | 'calculate'>
async function bytesOf(
  client: Client,
  call: Keyed | 'cashReverse',
): Promise<{ path: string; bytes: string; undo: (received: Received) => Promise<unknown> }> {
  const nothing = (): Promise<void> => Promise.resolve()
  switch (call) {
    case 'redeem':
      return {
        path: client.path('redeem'),
        bytes: JSON.stringify(client.request('redeem')),
        undo: (received) => reverse(client, received),
      }
    case 'cashReverse': {
      const { body } = await client.cash('redeem')
      const { traceId: _old, ...fields } = client.request('redeem')
      return {
        path: client.bench.paths.cashReverse ?? '',
        bytes: JSON.stringify({
          ...fields,
          traceId: client.fresh(),
          txnConfirmationNumber: body.txnConfirmationNumber,
        }),
        undo: nothing,
      }
    }
    case 'return': {
      const { body } = await client.issuance('issue')
      return {
        path: client.path('return'),
        bytes: JSON.stringify(client.request('return', { originalTransactionId: body.transactionId })),
        undo: nothing,
      }
    }
    case 'reverse':
    case 'reverseEvent': {
      const { body } = await client.issuance(call === 'reverse' ? 'post' : 'postEvent')
      const original =
        call === 'reverse'
          ? { originalTransactionId: body.transactionId }
          : { originalClientTransactionId: body.clientTransactionId }
      return { path: client.path(call), bytes: JSON.stringify(client.request(call, original)), undo: nothing }
    }
    default:
      return { path: client.path(call), bytes: JSON.stringify(client.request(call)), undo: nothing }
  }
}

const KEYED = ['redeem', 'cashReverse', 'issue', 'return', 'post', 'postEvent', 'reverse', 'reverseEvent'] as const
for (const call of KEYED) {
  const twice = async (
    client: Client,
    keyed: boolean,
  ): Promise<{ first: Received; again: Received; miles: number }> => {
    const { path, bytes, undo } = await bytesOf(client, call)
    const options = keyed ? { key: client.fresh() } : {}
    const first = await client.send('POST', path, bytes, options)
    const again = await moved(client, 'fine', () => client.send('POST', path, bytes, options))
    await undo(first)
    expect.accepted(first)
    return { first, again: again.received, miles: again.miles }
  }
  const sameAnswer = ({ first, again }: { first: Received; again: Received }): void =>
    expect.same([again.status, again.text], [first.status, first.text], 'the second answer')
  for (const [id, keyed, what] of [
    ['replay', true, 'a retry with the same key'],
    ['content', false, 'without a key, an identical request'],
  ] as const) {
    check(`${call}.${id}`, '§4.1', `${call}: ${what} is not executed twice`, async (client) => {
      const { again, miles } = await twice(client, keyed)
      expect.same(miles, 0, 'miles moved by the second request', again)
    })
    check(`${call}.${id}.answer`, '§4.1', `${call}: ${what} gets the same bytes`, async (client) =>
      sameAnswer(await twice(client, keyed)),
    )
  }
  check(`${call}.reused`, '§4.1', `${call}: a key used with another body is refused`, async (client) => {
    const { path, bytes, undo } = await bytesOf(client, call)
    const key = client.fresh()
    const first = await client.send('POST', path, bytes, { key })
    const changed = JSON.stringify({ ...(JSON.parse(bytes) as object), deviceId: 'ANOTHER' })
    const { received, miles } = await moved(client, 'fine', () => client.send('POST', path, changed, { key }))
    await undo(first)
    expect.status(received, 400, 409, 422)
    expect.same(miles, 0, 'miles moved by the refused request')
  })
  const atOnce = async (client: Client): Promise<{ first: Received; again: Received; miles: number }> => {
    const { path, bytes, undo } = await bytesOf(client, call)
    const options = { key: client.fresh() }
    const before = await client.balances('fine')
    const [first, again] = await Promise.all([
      client.send('POST', path, bytes, options),
      client.send('POST', path, bytes, options),
    ])
    const after = await client.balances('fine')
    await undo([first, again].find(({ status }) => status < 300) ?? first)
    return { first, again, miles: after.cash + after.dream - before.cash - before.dream }
  }
  check(
    `${call}.concurrent`,
    '§4.1',
    `${call}: two concurrent requests with the same key have one effect`,
    async (client) => {
      const { path, bytes, undo } = await bytesOf(client, call)
      const once = await moved(client, 'fine', () => client.send('POST', path, bytes, { key: client.fresh() }))
      await undo(once.received)
      const { first, miles } = await atOnce(client)
      expect.same(miles, once.miles, 'miles moved by both requests', first)
    },
  )
  check(
    `${call}.concurrent.answer`,
    '§4.1',
    `${call}: two concurrent requests with the same key get one answer`,
    async (client) => {
      const { first, again } = await atOnce(client)
      expect.accepted(first)
      sameAnswer({ first, again })
    },
  )
}
check('redeem.timestamp', '§4.1', 'Without a key, another timestamp means another transaction', async (client) => {
  const fields = { traceId: client.fresh(), dateTime: client.time() }
  await redeemed(client, fields, (first) =>
    redeemed(client, { ...fields, dateTime: client.time(1) }, (second) => {
      expect.assertThat(
        first.body.txnConfirmationNumber !== second.body.txnConfirmationNumber,
        'two transactions',
        second,
      )
    }),
  )
})
check('redeem.other-key', '§4.1', 'Another key means another transaction', async (client) => {
  const bytes = JSON.stringify(client.request('redeem'))
  const first = await client.send('POST', client.path('redeem'), bytes, { key: client.fresh() })
  const second = await client.send('POST', client.path('redeem'), bytes, { key: client.fresh() })
  await reverse(client, first)
  await reverse(client, second)
  expect.assertThat(first.body.txnConfirmationNumber !== second.body.txnConfirmationNumber, 'two transactions', second)
})
check('redeem.decline', '§4.1', 'A decline is repeated under its key', async (client) => {
  const key = client.fresh()
  const bytes = JSON.stringify(client.request('redeem', { collectorNumber: client.collector('poor') }))
  const first = await client.send('POST', client.path('redeem'), bytes, { key })
  code(first, '0051')
  expect.same((await client.send('POST', client.path('redeem'), bytes, { key })).text, first.text, 'the second answer')
})
check('redeem.key.uuid', '§4.1', 'A random UUID version 4 is accepted as a key', (client) =>
  redeemed(client, {}, async () => {
    const received = await client.cash('redeem', {}, { key: crypto.randomUUID() })
    code(received, '0000')
    await reverse(client, received)
  }),
)
check('key.across', '§4.1', 'A key of one call is refused for another call', async (client) => {
  const key = client.fresh()
  await client.issuance('issue', {}, { key })
  expect.status(await client.issuance('postEvent', {}, { key }), 400, 409, 422)
})
check('calculate.key', '§4.1', 'CALCULATE accepts a key', async (client) =>
  expect.status(await client.issuance('calculate', {}, { key: client.fresh() }), 200),
)
check('record.key', '§4.1', 'RECORD ignores keys: another transaction can use the same key', async (client) => {
  const key = client.fresh()
  const [first, second] = [await client.issuance('record', {}, { key }), await client.issuance('record', {}, { key })]
  expect.same([first.status, second.status], [200, 200], 'the statuses', second)
  expect.assertThat(first.body.transactionId !== second.body.transactionId, 'two transactions', second)
})
