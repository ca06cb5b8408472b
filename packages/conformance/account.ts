import type { Received } from './expect.ts'
import type { Client } from './client.ts'
import type { Rng } from './seeded-run.ts'

export interface Account {
  readonly collectorNumber: string
  /** Balance that the test computes from the service’s answers: cash miles and dream miles together. */
  expected: number
  readonly redemptions: { number: string; dollars: string; miles: number }[]
  readonly issues: { transactionId: string; miles: number }[]
}

/**
 * Sends the same bytes and idempotency key until an answer matches and is conclusive, as a terminal does. Resolves with
 * that answer.
 */
export type Persist = (path: string, bytes: string, key: string, echo: readonly [string, string]) => Promise<Received>

const totalOf = (received: Received): number =>
  Array.isArray(received.body.issuances)
    ? received.body.issuances.reduce((sum: number, entry: { milesAmount: number }) => sum + entry.milesAmount, 0)
    : 0
const approved = (received: Received): boolean =>
  received.body.responseCode === '0000' || received.body.responseCode === '0001'

export const KINDS = [
  'redeem',
  'redeem',
  'reverse',
  'reverse',
  'issue',
  'issue',
  'issue',
  'return',
  'post',
  'postEvent',
  'reverseEvent',
] as const
export type Kind = (typeof KINDS)[number]
export const pathOf = (client: Client, kind: Kind): string =>
  kind === 'reverse' ? (client.bench.paths.cashReverse ?? '') : client.path(kind)

interface Operation {
  readonly client: Client
  readonly rng: Rng
  readonly account: Account
  readonly id: string
  readonly persist: Persist
}

export function operate(kind: Kind, operation: Operation): Promise<string> {
  switch (kind) {
    case 'redeem':
      return redeem(operation)
    case 'reverse':
      return reverse(operation)
    case 'return':
      return giveBack(operation)
    case 'issue':
      return issue(operation)
    case 'post':
    case 'postEvent':
    case 'reverseEvent':
      return post(operation, kind)
  }
}

async function redeem(run: Operation): Promise<string> {
  const { client, rng, account, id, persist } = run
  const { collectorNumber } = account
  const dollars = `${10 * (1 + rng.below(4))}.00`
  const received = await persist(
    pathOf(client, 'redeem'),
    JSON.stringify(
      client.request('redeem', {
        collectorNumber,
        traceId: id,
        dollarRedeemRequest: dollars,
        postTaxBasketAmount: '100.00',
      }),
    ),
    id,
    ['traceId', id],
  )
  if (approved(received)) {
    const miles = Number(received.body.milesRedeemed)
    account.expected -= miles
    account.redemptions.push({ number: String(received.body.txnConfirmationNumber), dollars, miles })
  }
  return `redeem ${String(received.body.responseCode)}`
}

async function reverse(run: Operation): Promise<string> {
  const { client, rng, account, id, persist } = run
  const { collectorNumber } = account
  const [taken] = account.redemptions.splice(rng.below(Math.max(1, account.redemptions.length)), 1)
  const body = client.request('redeem', {
    collectorNumber,
    traceId: id,
    dollarRedeemRequest: taken?.dollars ?? '10.00',
    txnConfirmationNumber: taken?.number ?? '000000000000',
  })
  const received = await persist(pathOf(client, 'reverse'), JSON.stringify(body), id, ['traceId', id])
  if (approved(received)) account.expected += taken?.miles ?? 0
  return `reverse of ${taken ? 'an existing' : 'no'} redemption ${String(received.body.responseCode)}`
}

async function giveBack(run: Operation): Promise<string> {
  const { client, rng, account, id, persist } = run
  const { collectorNumber } = account
  const [taken] = account.issues.splice(rng.below(Math.max(1, account.issues.length)), 1)
  const dollars = taken ? taken.miles * 5 : 5
  const received = await persist(
    pathOf(client, 'return'),
    JSON.stringify(
      client.request('return', {
        collectorNumber,
        checkoutTransactionId: id,
        originalTransactionId: taken?.transactionId ?? 'NONE',
        basketPreTaxAmount: dollars,
        basketPostTaxAmount: dollars,
      }),
    ),
    id,
    ['checkoutTransactionId', id],
  )
  if (received.status === 200) account.expected += totalOf(received)
  return `return of ${taken ? 'an existing' : 'no'} issue ${received.status}`
}

async function issue(run: Operation): Promise<string> {
  const { client, rng, account, id, persist } = run
  const { collectorNumber } = account
  const dollars = 5 * rng.below(30)
  const received = await persist(
    pathOf(client, 'issue'),
    JSON.stringify(
      client.request('issue', {
        collectorNumber,
        checkoutTransactionId: id,
        basketPreTaxAmount: dollars,
        basketPostTaxAmount: dollars,
      }),
    ),
    id,
    ['checkoutTransactionId', id],
  )
  if (received.status === 200) {
    account.expected += totalOf(received)
    account.issues.push({ transactionId: String(received.body.transactionId), miles: totalOf(received) })
    if (account.issues.length > 200) account.issues.shift()
  }
  return `issue ${received.status}`
}

async function post(run: Operation, kind: 'post' | 'postEvent' | 'reverseEvent'): Promise<string> {
  const { client, rng, account, id, persist } = run
  const { collectorNumber } = account
  const issuances = [
    { issuanceOfferCode: client.bench.issuanceOffers.valid, milesAmount: 1 + rng.below(3), offerId: 'RANDOM' },
  ]
  const name = kind === 'post' ? 'checkoutTransactionId' : 'clientTransactionId'
  const received = await persist(
    pathOf(client, kind),
    JSON.stringify(client.request(kind, { collectorNumber, [name]: id, issuances })),
    id,
    [name, id],
  )
  if (received.status === 200) account.expected += totalOf(received)
  return `${kind} ${received.status}`
}
