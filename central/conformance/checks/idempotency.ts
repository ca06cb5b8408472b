import { checksOf } from '../check.ts'
import * as expect from '../expect.ts'
import type { Heard } from '../http.ts'
import type { CashCall, IssuanceCall, Lane } from '../lane.ts'
import { code } from './cash-codes.ts'
import { moved } from './issuance-codes.ts'
import { redeemed, reverse } from './cash-redeem.ts'

const { checks, check } = checksOf('idempotency', 3)
export const idempotencyChecks = checks

type Keyed = Exclude<CashCall, 'echo' | 'inquire'> | Exclude<IssuanceCall, 'record' | 'calculate'>
/** A good request of each call that reads a key, as bytes: what it refers to is made first. */
async function bytesOf(lane: Lane, call: Keyed | 'cashReverse'): Promise<{ path: string, bytes: string, undo: (heard: Heard) => Promise<unknown> }> {
  const nothing = (): Promise<void> => Promise.resolve()
  switch (call) {
    case 'redeem': return { path: lane.path('redeem'), bytes: JSON.stringify(lane.request('redeem')), undo: (heard) => reverse(lane, heard) }
    case 'cashReverse': {
      const { body } = await lane.cash('redeem')
      const { traceId: _old, ...fields } = lane.request('redeem')
      return { path: lane.bench.paths.cashReverse ?? '', bytes: JSON.stringify({ ...fields, traceId: lane.fresh(), txnConfirmationNumber: body.txnConfirmationNumber }), undo: nothing }
    }
    case 'return': {
      const { body } = await lane.issuance('issue')
      return { path: lane.path('return'), bytes: JSON.stringify(lane.request('return', { originalTransactionId: body.transactionId })), undo: nothing }
    }
    default: return { path: lane.path(call), bytes: JSON.stringify(lane.request(call)), undo: nothing }
  }
}

const KEYED = ['redeem', 'cashReverse', 'issue', 'return', 'post', 'postEvent', 'reverse', 'reverseEvent'] as const
for (const call of KEYED) {
  const once = async (lane: Lane, key: string | undefined): Promise<void> => {
    const { path, bytes, undo } = await bytesOf(lane, call)
    const say = key === undefined ? {} : { key: lane.fresh() }
    const first = await lane.say('POST', path, bytes, say)
    const again = await moved(lane, 'fine', () => lane.say('POST', path, bytes, say))
    await undo(first)
    expect.status(first, 200)
    expect.same([again.heard.status, again.heard.text], [first.status, first.text], 'the second answer')
    expect.same(again.miles, 0, 'miles moved by the second request')
  }
  check(`${call}.replay`, '§4.1', `${call}: a retry with the same key is not executed twice and hears the same bytes`, (lane) => once(lane, 'key'))
  check(`${call}.content`, '§4.1', `${call}: without a key, an identical request is a duplicate`, (lane) => once(lane, undefined))
  check(`${call}.reused`, '§4.1', `${call}: a key that comes with another body is refused`, async (lane) => {
    const { path, bytes, undo } = await bytesOf(lane, call)
    const key = lane.fresh()
    const first = await lane.say('POST', path, bytes, { key })
    const changed = JSON.stringify({ ...JSON.parse(bytes) as object, deviceId: 'ANOTHER' })
    const { heard, miles } = await moved(lane, 'fine', () => lane.say('POST', path, changed, { key }))
    await undo(first)
    expect.status(heard, 400, 409, 422)
    expect.same(miles, 0, 'miles moved by the refused request')
  })
  check(`${call}.twins`, '§4.1', `${call}: two at once with the same key have one effect and one answer`, async (lane) => {
    const { path, bytes, undo } = await bytesOf(lane, call)
    const key = lane.fresh()
    const [first, second] = await Promise.all([lane.say('POST', path, bytes, { key }), lane.say('POST', path, bytes, { key })])
    await undo(first)
    expect.same([first.status, second.status], [200, 200], 'the statuses', second)
    expect.same(second.text, first.text, 'the second answer')
  })
}
check('redeem.timestamp', '§4.1', 'Without a key, another timestamp makes another transaction', async (lane) => {
  const fields = { traceId: lane.fresh(), dateTime: '2026-07-01T12:00:00-04:00' }
  await redeemed(lane, fields, (first) => redeemed(lane, { ...fields, dateTime: '2026-07-01T12:00:01-04:00' }, (second) => {
    expect.that(first.body.txnConfirmationNumber !== second.body.txnConfirmationNumber, 'two transactions', second)
  }))
})
check('redeem.other-key', '§4.1', 'Another key makes another transaction', async (lane) => {
  const bytes = JSON.stringify(lane.request('redeem'))
  const first = await lane.say('POST', lane.path('redeem'), bytes, { key: lane.fresh() })
  const second = await lane.say('POST', lane.path('redeem'), bytes, { key: lane.fresh() })
  await reverse(lane, first)
  await reverse(lane, second)
  expect.that(first.body.txnConfirmationNumber !== second.body.txnConfirmationNumber, 'two transactions', second)
})
check('redeem.decline', '§4.1', 'A decline is said again under its key', async (lane) => {
  const key = lane.fresh()
  const bytes = JSON.stringify(lane.request('redeem', { collectorNumber: lane.collector('poor') }))
  const first = await lane.say('POST', lane.path('redeem'), bytes, { key })
  code(first, '0051')
  expect.same((await lane.say('POST', lane.path('redeem'), bytes, { key })).text, first.text, 'the second answer')
})
check('redeem.key.uuid', '§4.1', 'A random V4 UUID is a key', (lane) => redeemed(lane, {}, async () => {
  const heard = await lane.cash('redeem', {}, { key: crypto.randomUUID() })
  code(heard, '0000')
  await reverse(lane, heard)
}))
check('key.across', '§4.1', 'A key of one call is refused at another', async (lane) => {
  const key = lane.fresh()
  await lane.issuance('issue', {}, { key })
  expect.status(await lane.issuance('postEvent', {}, { key }), 400, 409, 422)
})
check('calculate.key', '§4.1', 'CALCULATE accepts a key', async (lane) => expect.status(await lane.issuance('calculate', {}, { key: lane.fresh() }), 200))
check('record.key', '§4.1', 'RECORD reads no key: the same key may come with another transaction', async (lane) => {
  const key = lane.fresh()
  const [first, second] = [await lane.issuance('record', {}, { key }), await lane.issuance('record', {}, { key })]
  expect.same([first.status, second.status], [200, 200], 'the statuses', second)
  expect.that(first.body.transactionId !== second.body.transactionId, 'two transactions', second)
})
