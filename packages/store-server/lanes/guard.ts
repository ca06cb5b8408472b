import type { KeyObject } from 'node:crypto'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { StoreContext } from '../context.ts'
import {
  NONCE_HEADER,
  NONCE_REFUSED,
  PROOF_HEADER,
  type ProofPayload,
  digestOf,
  readProof,
} from '../../delivery/enrolment/proof.ts'
import { publicKeyOf } from '../../delivery/enrolment/sealing.ts'
import type { Device } from '../enrolment/enrolment.sql.ts'
import { deviceOf } from '../enrolment/enrolment.ts'
import { parseJson, refusal } from '../server.ts'
import { nameOf } from './caller.ts'
import { createNonces } from './key-files.ts'
import { SaleFact } from '../../../contracts/store/facts.ts'
import type { Fact } from '../../../contracts/store/protocol.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Restricts the route to lanes; always true for routes below `/lane/`. */
    forLanes?: boolean
    /** Set if the route's handler refuses a revoked token itself, in its own transaction. */
    checksToken?: boolean
  }
}

const OF_LANES = '/lane/'
const NO_BODY = digestOf('')
/** Why a call is refused. A nonce is refused when it is missing or has expired, or the request id was used before. */
type Refused = 'token' | 'proof' | typeof NONCE_REFUSED
const KEYS_KEPT = 1_000

/**
 * Admits a call only with a lane's token and a proof by the lane's private key: a copied token is not enough. Refuses
 * before the body is read, except a body that differs from the proof. Checks the token in the database on every call,
 * unless the route's handler does.
 */
export function createLaneGuard({ db, now, settings }: StoreContext) {
  const nonces = createNonces(settings.proofKey)
  const isUsed = createUsedIds(nonces.isOver)
  const keyOf = createKeyCache()
  const seen = new Map<string, Device>()
  const bodies = new WeakMap<FastifyRequest, { readonly expected: string; actual: string }>()

  const isForLanes = ({ routeOptions: { url = '', config } }: FastifyRequest): boolean =>
    url.startsWith(OF_LANES) || config.forLanes === true

  async function lookUp(request: FastifyRequest): Promise<Device | null> {
    const key = digestOf(request.headers.authorization ?? '')
    const remembered = request.routeOptions.config.checksToken === true ? seen.get(key) : undefined
    if (remembered !== undefined) return remembered
    const lane = await deviceOf(db, request)
    if (seen.size >= KEYS_KEPT) seen.clear()
    if (lane !== null) seen.set(key, lane)
    return lane
  }

  function refusedFor(request: FastifyRequest, payload: ProofPayload | null, ath: string): Refused | null {
    if (payload === null || payload.ath !== ath || payload.htm !== request.method || payload.path !== request.url)
      return 'proof'
    const minute = payload.nonce === undefined ? null : nonces.minuteOf(payload.nonce, ath, now())
    return minute === null || isUsed(payload.jti, minute, now()) ? NONCE_REFUSED : null
  }

  async function admit(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply | undefined> {
    if (!isForLanes(request)) return undefined
    const lane = await lookUp(request)
    if (lane === null) return reply.code(401).send(refusal('token'))
    const ath = digestOf((request.headers.authorization ?? '').slice('Bearer '.length))
    const [proof, key] = [request.headers[PROOF_HEADER], keyOf(lane.laneKey)]
    const payload = key !== null && typeof proof === 'string' ? readProof(key, proof) : null
    const refused = refusedFor(request, payload, ath)
    // Give a nonce only to a caller that has proved to hold the lane's private key.
    if (payload !== null) void reply.header(NONCE_HEADER, nonces.next(ath, now()))
    if (refused !== null) {
      request.outcome = refused
      if (refused === 'proof')
        request.log.warn({ store: lane.store, lane: lane.lane }, 'a token was used without its key')
      return reply.code(401).send(refusal(refused))
    }
    bodies.set(request, { expected: payload?.body ?? '', actual: NO_BODY })
    request.caller = nameOf(lane)
    return undefined
  }

  return {
    protect(scope: FastifyInstance): void {
      parseJson(scope, (request, bytes) => {
        const body = bodies.get(request)
        if (body) body.actual = digestOf(bytes)
      })
      scope.addHook('onRequest', admit)
      scope.addHook('preValidation', async (request, reply) => {
        const body = bodies.get(request)
        if (body === undefined || body.actual === body.expected) return undefined
        request.caller = null
        return reply.code(401).send(refusal('proof'))
      })
    },
  }
}

/** Stores used request ids while their nonce is valid. A restart loses them: see decision 26. */
function createUsedIds(isOver: (minute: number, now: number) => boolean) {
  const minutes = new Map<number, Set<string>>()
  return (id: string, minute: number, now: number): boolean => {
    for (const before of minutes.keys()) if (isOver(before, now)) minutes.delete(before)
    const used = minutes.get(minute) ?? new Set()
    minutes.set(minute, used)
    if (used.has(id)) return true
    used.add(id)
    return false
  }
}

/** Caches parsed public keys, because parsing a key costs as much as verifying a signature. */
function createKeyCache() {
  const keys = new Map<string, KeyObject | null>()
  return (spki: string): KeyObject | null => {
    const known = keys.get(spki)
    if (known !== undefined) return known
    if (keys.size >= KEYS_KEPT) keys.clear()
    const key = publicKeyOf(spki)
    keys.set(spki, key)
    return key
  }
}

/**
 * Format of a sale id: location code, lane, eight digits and four characters of salt, as in
 * `backend/sales/sale/sale-id.ts`.
 */
const SALE_ID = /^[A-Z0-9]{1,4}(\d{2})\d{8}[A-Z0-9]{4}$/

/**
 * Returns the lane in the id of a sale or return if it is another lane; null otherwise. Ids of another format name no
 * lane.
 */
export function otherLaneOf(lane: string, id: string): string | null {
  const named = SALE_ID.exec(id)?.[1] ?? lane
  return named === lane ? null : named
}

export function requireOwnId(lane: string, id: string): void {
  const other = otherLaneOf(lane, id)
  if (other !== null) throw new Error(`${id} is an id of lane ${other}`)
}

/** Throws when a row belongs to another lane, or when the lane sent different content before under the same id. */
export function requireSame<Row extends { readonly lane: string }>(lane: string, id: string, was: Row, is: Row): void {
  if (was.lane !== lane) throw new Error(`${id} belongs to lane ${was.lane}`)
  if (JSON.stringify(was) !== JSON.stringify(is)) throw new Error(`lane ${lane} sent different content as ${id}`)
}

/**
 * SQL of the time (epoch ms) when the lane of table `of` was removed from the store: all its tokens were revoked and it
 * was not enrolled again. Null for enrolled lanes and lanes never enrolled here.
 */
export const revokedSql = (of: string): string => `(SELECT max(revoked_at) FROM device
  WHERE device.store = ${of}.store AND device.lane = ${of}.lane HAVING count(*) = count(revoked_at))`

const READ = new WeakMap<Fact['body'], SaleFact>()

/** Parses the fact of a sale. Cached, because several projections read it. Throws ZodError. */
export function readSale(body: Fact['body']): SaleFact {
  const known = READ.get(body) ?? SaleFact.parse(body)
  READ.set(body, known)
  return known
}
