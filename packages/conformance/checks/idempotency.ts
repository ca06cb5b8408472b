import { checksOf } from '../check.ts'
import * as expect from '../expect.ts'
import type { Received } from '../expect.ts'
import type { Lane } from '../lane.ts'
import type { CashCall, IssuanceCall } from '../requests.ts'
import { code } from './cash-codes.ts'
import { moved } from './issuance-codes.ts'
import { redeemed, reverse } from './cash-redeem.ts'

const { checks, check } = checksOf('idempotency', 3)
export const idempotencyChecks = checks

type Keyed = Exclude<CashCall, 'echo' | 'inquire'> | Exclude<IssuanceCall, 'record' | 'calculate'>
async function bytesOf(
  lane: Lane,
  call: Keyed | 'cashReverse',
): Promise<{ path: string; bytes: string; undo: (received: Received) => Promise<unknown> }> {
  const nothing = (): Promise<void> => Promise.resolve()
  switch (call) {
    case 'redeem':
      return {
        path: lane.path('redeem'),
        bytes: JSON.stringify(lane.request('redeem')),
        undo: (received) => reverse(lane, received),
      }
    case 'cashReverse': {
      const { body } = await lane.cash('redeem')
      const { traceId: _old, ...fields } = lane.request('redeem')
      return {
        path: lane.bench.paths.cashReverse ?? '',
        bytes: JSON.stringify({ ...fields, traceId: lane.fresh(), txnConfirmationNumber: body.txnConfirmationNumber }),
        undo: nothing,
      }
    }
    case 'return': {
      const { body } = await lane.issuance('issue')
      return {
        path: lane.path('return'),
        bytes: JSON.stringify(lane.request('return', { originalTransactionId: body.transactionId })),
        undo: nothing,
      }
    }
    case 'reverse':
    case 'reverseEvent': {
      const { body } = await lane.issuance(call === 'reverse' ? 'post' : 'postEvent')
      const original =
        call === 'reverse'
          ? { originalTransactionId: body.transactionId }
          : { originalClientTransactionId: body.clientTransactionId }
      return { path: lane.path(call), bytes: JSON.stringify(lane.request(call, original)), undo: nothing }
    }
    default:
      return { path: lane.path(call), bytes: JSON.stringify(lane.request(call)), undo: nothing }
  }
}

const KEYED = ['redeem', 'cashReverse', 'issue', 'return', 'post', 'postEvent', 'reverse', 'reverseEvent'] as const
for (const call of KEYED) {
  const twice = async (lane: Lane, keyed: boolean): Promise<{ first: Received; again: Received; miles: number }> => {
    const { path, bytes, undo } = await bytesOf(lane, call)
    const options = keyed ? { key: lane.fresh() } : {}
    const first = await lane.send('POST', path, bytes, options)
    const again = await moved(lane, 'fine', () => lane.send('POST', path, bytes, options))
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
    check(`${call}.${id}`, '§4.1', `${call}: ${what} is not executed twice`, async (lane) => {
      const { again, miles } = await twice(lane, keyed)
      expect.same(miles, 0, 'miles moved by the second request', again)
    })
    check(`${call}.${id}.answer`, '§4.1', `${call}: ${what} gets the same bytes`, async (lane) =>
      sameAnswer(await twice(lane, keyed)),
    )
  }
  check(`${call}.reused`, '§4.1', `${call}: a key used with another body is refused`, async (lane) => {
    const { path, bytes, undo } = await bytesOf(lane, call)
    const key = lane.fresh()
    const first = await lane.send('POST', path, bytes, { key })
    const changed = JSON.stringify({ ...(JSON.parse(bytes) as object), deviceId: 'ANOTHER' })
    const { received, miles } = await moved(lane, 'fine', () => lane.send('POST', path, changed, { key }))
    await undo(first)
    expect.status(received, 400, 409, 422)
    expect.same(miles, 0, 'miles moved by the refused request')
  })
  const atOnce = async (lane: Lane): Promise<{ first: Received; again: Received; miles: number }> => {
    const { path, bytes, undo } = await bytesOf(lane, call)
    const options = { key: lane.fresh() }
    const before = await lane.balances('fine')
    const [first, again] = await Promise.all([
      lane.send('POST', path, bytes, options),
      lane.send('POST', path, bytes, options),
    ])
    const after = await lane.balances('fine')
    await undo([first, again].find(({ status }) => status < 300) ?? first)
    return { first, again, miles: after.cash + after.dream - before.cash - before.dream }
  }
  check(
    `${call}.concurrent`,
    '§4.1',
    `${call}: two concurrent requests with the same key have one effect`,
    async (lane) => {
      const { path, bytes, undo } = await bytesOf(lane, call)
      const once = await moved(lane, 'fine', () => lane.send('POST', path, bytes, { key: lane.fresh() }))
      await undo(once.received)
      const { first, miles } = await atOnce(lane)
      expect.same(miles, once.miles, 'miles moved by both requests', first)
    },
  )
  check(
    `${call}.concurrent.answer`,
    '§4.1',
    `${call}: two concurrent requests with the same key get one answer`,
    async (lane) => {
      const { first, again } = await atOnce(lane)
      expect.accepted(first)
      sameAnswer({ first, again })
    },
  )
}
check('redeem.timestamp', '§4.1', 'Without a key, another timestamp means another transaction', async (lane) => {
  const fields = { traceId: lane.fresh(), dateTime: lane.time() }
  await redeemed(lane, fields, (first) =>
    redeemed(lane, { ...fields, dateTime: lane.time(1) }, (second) => {
      expect.assertThat(
        first.body.txnConfirmationNumber !== second.body.txnConfirmationNumber,
        'two transactions',
        second,
      )
    }),
  )
})
check('redeem.other-key', '§4.1', 'Another key means another transaction', async (lane) => {
  const bytes = JSON.stringify(lane.request('redeem'))
  const first = await lane.send('POST', lane.path('redeem'), bytes, { key: lane.fresh() })
  const second = await lane.send('POST', lane.path('redeem'), bytes, { key: lane.fresh() })
  await reverse(lane, first)
  await reverse(lane, second)
  expect.assertThat(first.body.txnConfirmationNumber !== second.body.txnConfirmationNumber, 'two transactions', second)
})
check('redeem.decline', '§4.1', 'A decline is repeated under its key', async (lane) => {
  const key = lane.fresh()
  const bytes = JSON.stringify(lane.request('redeem', { collectorNumber: lane.collector('poor') }))
  const first = await lane.send('POST', lane.path('redeem'), bytes, { key })
  code(first, '0051')
  expect.same((await lane.send('POST', lane.path('redeem'), bytes, { key })).text, first.text, 'the second answer')
})
check('redeem.key.uuid', '§4.1', 'A random UUID version 4 is accepted as a key', (lane) =>
  redeemed(lane, {}, async () => {
    const received = await lane.cash('redeem', {}, { key: crypto.randomUUID() })
    code(received, '0000')
    await reverse(lane, received)
  }),
)
check('key.across', '§4.1', 'A key of one call is refused for another call', async (lane) => {
  const key = lane.fresh()
  await lane.issuance('issue', {}, { key })
  expect.status(await lane.issuance('postEvent', {}, { key }), 400, 409, 422)
})
check('calculate.key', '§4.1', 'CALCULATE accepts a key', async (lane) =>
  expect.status(await lane.issuance('calculate', {}, { key: lane.fresh() }), 200),
)
check('record.key', '§4.1', 'RECORD ignores keys: another transaction can use the same key', async (lane) => {
  const key = lane.fresh()
  const [first, second] = [await lane.issuance('record', {}, { key }), await lane.issuance('record', {}, { key })]
  expect.same([first.status, second.status], [200, 200], 'the statuses', second)
  expect.assertThat(first.body.transactionId !== second.body.transactionId, 'two transactions', second)
})
