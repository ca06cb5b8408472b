import { RuleViolation, need } from './expect.ts'
import { type Received, described } from './expect.ts'
import type { Fields, Client, Refusal } from './client.ts'
import type { CashCall, IssuanceCall } from './requests.ts'
import { CASH_CODES } from './checks/cash-codes.ts'
import { cards, headers as historyHeaders, sponsors } from './checks/history.ts'
import { ISSUANCE_CODES } from './checks/issuance-codes.ts'
import { ask, requestList, asMember, offersOf, putStates } from './checks/offer-shape.ts'
import { change, healthy, read, write } from './checks/offer-state.ts'

/** Response codes that name the fault. Code 0035 and a bare 400 do not. */
const SPECIFIC_CODES: ReadonlySet<unknown> = new Set([
  ...Object.keys(CASH_CODES).filter((code) => code !== '0035'),
  ...Object.keys(ISSUANCE_CODES),
])
const proven = new WeakMap<Client, Map<string, Promise<Received>>>()

/**
 * Proves that refusals are about the fault: unless the response code shows that, the request without the fault must be
 * accepted. Throws RuleViolation otherwise. Sends each valid request once per run.
 */
export async function prove(client: Client, refusals: readonly Refusal[]): Promise<void> {
  const known = proven.get(client) ?? new Map<string, Promise<Received>>()
  proven.set(client, known)
  for (const { method, path, member, validFields, received } of refusals) {
    if (SPECIFIC_CODES.has(received.body.responseCode)) continue
    const control = controlOf(client, method, path, member, validFields)
    if (!control) continue
    const key = `${control.name}${validFields ? JSON.stringify(validFields) : ''}`
    const sent = known.get(key) ?? control.send()
    known.set(key, sent)
    const good = await sent
    if (!isAccepted(good))
      throw new RuleViolation(
        `${control.name} is refused, and so is the same request without the fault: the reason is unknown; ` +
          `received ${described(good)}`,
      )
  }
  client.takeRefusals()
}

/**
 * Response codes with which the cash service declines a request, also with status 202. A pending issuance counts as
 * accepted (specification 3 §4.2 rule 2).
 */
const DECLINES: ReadonlySet<unknown> = new Set(
  Object.keys(CASH_CODES).filter((code) => code !== '0000' && code !== '0001'),
)
const isAccepted = ({ status, body }: Received): boolean =>
  status >= 200 && status < 300 && !DECLINES.has(body.responseCode)

interface Control {
  readonly name: string
  readonly send: () => Promise<Received>
}

const CASH = ['echo', 'inquire', 'redeem'] as const satisfies readonly CashCall[]
const ISSUANCE = ['calculate', 'issue', 'return', 'record', 'reverseEvent'] as const satisfies readonly IssuanceCall[]
const UNSHOWN = ['post', 'postEvent', 'reverse'] as const satisfies readonly IssuanceCall[]

function controlOf(
  client: Client,
  method: string,
  path: string,
  member: boolean,
  validFields: Fields = {},
): Control | undefined {
  if (method === 'POST') return checkoutControl(client, path, validFields)
  return method === 'GET' || method === 'PUT' ? readControl(client, method, path, member) : undefined
}

function checkoutControl(client: Client, path: string, validFields: Fields): Control | undefined {
  const cash = CASH.find((call) => client.path(call) === path)
  if (cash) return { name: cash.toUpperCase(), send: () => sendValidCash(client, cash, validFields) }
  if (path === client.bench.paths.cashReverse) return { name: 'REVERSE (cash)', send: () => goodReverse(client) }
  const call = [...ISSUANCE, ...UNSHOWN.filter((one) => client.bench.paths[one] !== null)].find(
    (one) => client.path(one) === path,
  )
  return call && { name: call, send: () => sendValidIssuance(client, call, validFields) }
}

async function sendValidCash(client: Client, call: CashCall, validFields: Fields): Promise<Received> {
  const received = await client.cash(call, validFields)
  if (call === 'redeem' && client.bench.paths.cashReverse !== null)
    await client.cash('reverse', { txnConfirmationNumber: received.body.txnConfirmationNumber })
  return received
}
async function goodReverse(client: Client): Promise<Received> {
  const redeemed = await client.cash('redeem')
  return client.cash('reverse', { txnConfirmationNumber: redeemed.body.txnConfirmationNumber })
}
async function sendValidIssuance(client: Client, call: IssuanceCall, validFields: Fields): Promise<Received> {
  if (call !== 'return') return client.issuance(call, validFields)
  const issued = await client.issuance('issue', validFields)
  return client.issuance('return', { ...validFields, originalTransactionId: issued.body.transactionId })
}

const anOffer = async (client: Client): Promise<string> =>
  String(need(offersOf(await requestList(client))[0], 'the region has no offer').id)

function readControl(client: Client, method: 'GET' | 'PUT', path: string, member: boolean): Control | undefined {
  const own = async () => (member ? asMember(client) : {})
  if (method === 'PUT' && path === '/offers/state-writer/v1/put')
    return {
      name: 'PUT (offer state)',
      send: async () => write(client, change(await anOffer(client), ['OPT_IN', 'OPTED_IN'])),
    }
  if (method === 'PUT')
    return {
      name: 'PUT (offers)',
      send: async () =>
        putStates(client, await anOffer(client), [{ name: 'SAVE', value: 'SAVED' }], await asMember(client)),
    }
  if (path === '/offers')
    return {
      name: `GET /offers${member ? ' with a token' : ''}`,
      send: async () => requestList(client, {}, await own()),
    }
  if (path === '/offers/state-reader/health') return { name: 'health (offer state)', send: () => healthy(client) }
  const reader = (['find', 'get', 'count'] as const).find((call) => path === `/offers/state-reader/v1/${call}`)
  if (reader)
    return {
      name: reader.toUpperCase(),
      send: async () => read(client, reader, reader === 'get' ? { offerId: await anOffer(client) } : {}),
    }
  if (/^\/offers\/[^/]+$/.test(path))
    return {
      name: 'GET /offers/{id}',
      send: async () => ask(client, `/offers/${await anOffer(client)}`, {}, await own()),
    }
  if (path === '/transaction-history/health')
    return { name: 'health (history)', send: () => client.get(path, {}, { headers: historyHeaders }) }
  if (path === '/transaction-history/cards') return { name: '/cards', send: () => cards(client) }
  if (path === '/transaction-history/sponsors') return { name: '/sponsors', send: () => sponsors(client) }
  return undefined
}
