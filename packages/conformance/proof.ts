import { RuleViolation, need } from './expect.ts'
import { type Received, described } from './expect.ts'
import type { Fields, Lane, Refusal } from './lane.ts'
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
const proven = new WeakMap<Lane, Map<string, Promise<Received>>>()

/**
 * Proves that refusals are about the fault: unless the response code shows that, the request without the fault must be
 * accepted. Throws RuleViolation otherwise. Sends each valid request once per run.
 */
export async function prove(lane: Lane, refusals: readonly Refusal[]): Promise<void> {
  const known = proven.get(lane) ?? new Map<string, Promise<Received>>()
  proven.set(lane, known)
  for (const { method, path, member, validFields, received } of refusals) {
    if (SPECIFIC_CODES.has(received.body.responseCode)) continue
    const control = controlOf(lane, method, path, member, validFields)
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
  lane.takeRefusals()
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
  lane: Lane,
  method: string,
  path: string,
  member: boolean,
  validFields: Fields = {},
): Control | undefined {
  if (method === 'POST') return checkoutControl(lane, path, validFields)
  return method === 'GET' || method === 'PUT' ? readControl(lane, method, path, member) : undefined
}

function checkoutControl(lane: Lane, path: string, validFields: Fields): Control | undefined {
  const cash = CASH.find((call) => lane.path(call) === path)
  if (cash) return { name: cash.toUpperCase(), send: () => sendValidCash(lane, cash, validFields) }
  if (path === lane.bench.paths.cashReverse) return { name: 'REVERSE (cash)', send: () => goodReverse(lane) }
  const call = [...ISSUANCE, ...UNSHOWN.filter((one) => lane.bench.paths[one] !== null)].find(
    (one) => lane.path(one) === path,
  )
  return call && { name: call, send: () => sendValidIssuance(lane, call, validFields) }
}

async function sendValidCash(lane: Lane, call: CashCall, validFields: Fields): Promise<Received> {
  const received = await lane.cash(call, validFields)
  if (call === 'redeem' && lane.bench.paths.cashReverse !== null)
    await lane.cash('reverse', { txnConfirmationNumber: received.body.txnConfirmationNumber })
  return received
}
async function goodReverse(lane: Lane): Promise<Received> {
  const redeemed = await lane.cash('redeem')
  return lane.cash('reverse', { txnConfirmationNumber: redeemed.body.txnConfirmationNumber })
}
async function sendValidIssuance(lane: Lane, call: IssuanceCall, validFields: Fields): Promise<Received> {
  if (call !== 'return') return lane.issuance(call, validFields)
  const issued = await lane.issuance('issue', validFields)
  return lane.issuance('return', { ...validFields, originalTransactionId: issued.body.transactionId })
}

const anOffer = async (lane: Lane): Promise<string> =>
  String(need(offersOf(await requestList(lane))[0], 'the region has no offer').id)

function readControl(lane: Lane, method: 'GET' | 'PUT', path: string, member: boolean): Control | undefined {
  const own = async () => (member ? asMember(lane) : {})
  if (method === 'PUT' && path === '/offers/state-writer/v1/put')
    return {
      name: 'PUT (offer state)',
      send: async () => write(lane, change(await anOffer(lane), ['OPT_IN', 'OPTED_IN'])),
    }
  if (method === 'PUT')
    return {
      name: 'PUT (offers)',
      send: async () => putStates(lane, await anOffer(lane), [{ name: 'SAVE', value: 'SAVED' }], await asMember(lane)),
    }
  if (path === '/offers')
    return { name: `GET /offers${member ? ' with a token' : ''}`, send: async () => requestList(lane, {}, await own()) }
  if (path === '/offers/state-reader/health') return { name: 'health (offer state)', send: () => healthy(lane) }
  const reader = (['find', 'get', 'count'] as const).find((call) => path === `/offers/state-reader/v1/${call}`)
  if (reader)
    return {
      name: reader.toUpperCase(),
      send: async () => read(lane, reader, reader === 'get' ? { offerId: await anOffer(lane) } : {}),
    }
  if (/^\/offers\/[^/]+$/.test(path))
    return { name: 'GET /offers/{id}', send: async () => ask(lane, `/offers/${await anOffer(lane)}`, {}, await own()) }
  if (path === '/transaction-history/health')
    return { name: 'health (history)', send: () => lane.get(path, {}, { headers: historyHeaders }) }
  if (path === '/transaction-history/cards') return { name: '/cards', send: () => cards(lane) }
  if (path === '/transaction-history/sponsors') return { name: '/sponsors', send: () => sponsors(lane) }
  return undefined
}
