import { z } from 'zod'
import {
  MAX_FACTS,
  MAX_FACTS_BYTES,
  Fact,
  type ForeignFact,
  type ProvenVector,
  type HeartbeatRequest,
  type HelloRequest,
  type LaneMode,
  type PullRequest,
  type Vector,
} from '../../../contracts/store/protocol.ts'
import { MAX_STREAMS_OF_LANE, UNSTORABLE, storableJson, storableText } from '../../../contracts/store/bounds.ts'
import type { RegisterStamps } from '../../../contracts/store/registers.ts'
import { differingRegisters } from '../changes/changes.ts'
import type { StoreContext } from '../context.ts'
import type { Querying } from '../db/postgres.ts'
import { holdsVersion } from '../holds/holds.sql.ts'
import { awaitedLanes, isAwaited, detectRestore, noteVector } from './awaited.ts'
import { type Caller, isOfMode } from './caller.ts'
import { isEnrolled, isLeaseCovered, noteLease, startSession } from './leases.ts'
import { createStreamProofs } from './key-files.ts'
import { project, type QuarantinedFact } from './projection.ts'
import { MAY_READ, readUnread, readUnreadOf } from './unread.ts'

export type Pushed =
  | {
      readonly kind: 'applied'
      readonly applied: number
      readonly quarantined: readonly QuarantinedFact[]
      readonly fresh: readonly Fact[]
    }
  | { readonly kind: 'gap'; readonly expected: number }
  /** The lane sent different content under a used sequence number: two copies of its database continued separately. */
  | { readonly kind: 'other-history' }
  | { readonly kind: 'unknown-stream' }
  /** The lane's token was revoked during the push. */
  | { readonly kind: 'token' }

export type OpenedSession =
  /**
   * The newest applied number of each stream. `isBehind`: the lane was restored and has fewer facts of its newest
   * stream than the store.
   */
  | {
      readonly kind: 'applied'
      readonly applied: Vector
      readonly isBehind: boolean
      readonly session: number | null
    }
  | { readonly kind: 'other-history' | 'mode' | 'too-many-streams' }

export interface Pulled {
  readonly facts: readonly ForeignFact[]
  readonly vector: Vector
  readonly proofs: Readonly<Record<string, string>>
  readonly more: boolean
}

export interface LaneContact {
  readonly kind: 'noted'
  readonly heads: Vector
  /**
   * Proofs of this server for streams with more facts than the lane's own proofs cover; undefined for a lane whose
   * heartbeat names no kinds of facts.
   */
  readonly proven: ProvenVector | undefined
  readonly applied: Vector
  readonly awaited: boolean
  readonly registers: RegisterStamps | undefined
  readonly aside: number
  readonly holds: string | undefined
  /**
   * Number of entries of the lane's vector that were ignored, because they are beyond this database and have no proof.
   */
  readonly unproven: number
  /** Whether the store has facts that were stored during a rebuild and not read since. */
  readonly hasUnread: boolean
}

type Beat = Omit<HeartbeatRequest, 'protocol' | 'waitMs'>

const Facts = z.array(Fact)

interface Stream {
  name: string
  lane: string
  applied: number
  /** Number of the newest fact that a lane may read. Later facts wait for a rebuild, which may quarantine some. */
  read: number
}

const INSERT = `INSERT INTO fact (stream, seq, kind, subject, at, body, sealed)
  SELECT $1, seq, kind, subject, at, body, sealed
  FROM jsonb_to_recordset($2::jsonb) AS sent (seq integer, kind text, subject text, at bigint, body jsonb, sealed text)`
const READ = 'coalesce(unread_from - 1, applied)'
/**
 * Reads the newest number of each stream. A stream of the caller is included only if the store has more facts of it
 * than the caller reports to have.
 */
const HEADS = `SELECT name, lane, applied, ${READ} AS read FROM stream WHERE store = $1 AND applied > 0
  AND (lane <> $2 OR applied > coalesce(($3::jsonb ->> name)::integer, 0) AND $3 IS NOT NULL) ORDER BY name`

/** Like HEADS, but reads the newest fact of the given kinds ($4) that the lane's vector ($5) does not include. */
const HEADS_OF_KINDS = `SELECT name, lane, applied, ${READ} AS read, newest.seq FROM stream LEFT JOIN LATERAL (
    SELECT max(last.seq) AS seq FROM unnest($4::text[]) AS followed (kind) CROSS JOIN LATERAL (
      SELECT seq FROM fact WHERE fact.stream = stream.name AND fact.kind = followed.kind
        AND seq > coalesce(($5::jsonb ->> stream.name)::integer, 0) AND seq <= ${READ}
      ORDER BY seq DESC LIMIT 1) AS last
  ) AS newest ON applied > coalesce(($5::jsonb ->> stream.name)::integer, 0)
  WHERE store = $1 AND applied > 0
    AND (lane <> $2 OR applied > coalesce(($3::jsonb ->> name)::integer, 0) AND $3 IS NOT NULL) ORDER BY name`
/** Records that a lane was seen. Writes an unchanged row at most every 8 seconds, or when its time is in the future. */
const SEE = `UPDATE lane SET health = $3, version = $4, seen_at = now(), refused = $5 WHERE store = $1 AND lane = $2
  AND (health IS DISTINCT FROM $3::jsonb OR version IS DISTINCT FROM $4 OR refused IS DISTINCT FROM $5
    OR seen_at IS NULL OR seen_at NOT BETWEEN now() - interval '8 seconds' AND now())`

/** Reads the next facts of a stream: at least one, then more up to the byte limit. Omits quarantined facts. */
const NEXT = `SELECT seq, kind, subject, at, body, sealed, size FROM (
    SELECT *, sum(size) OVER (ORDER BY seq) - size AS before FROM (
      SELECT seq, kind, subject, at, body, sealed,
        octet_length(body::text) + coalesce(octet_length(sealed), 0) AS size FROM fact
      WHERE stream = $1 AND kind = ANY ($2) AND seq > $3 AND seq <= $4 AND NOT EXISTS (
        SELECT 1 FROM fact_aside WHERE fact_aside.stream = fact.stream AND fact_aside.seq = fact.seq)
      ORDER BY seq LIMIT $5) AS next) AS sized
  WHERE before < $6 ORDER BY seq`

const LOCK_STREAM = `SELECT applied, unread_from AS "unreadFrom", ${MAY_READ} AS "mayRead" FROM stream
  WHERE name = $1 AND store = $2 AND lane = $3 FOR UPDATE`
const APPLY = 'UPDATE stream SET applied = $2 WHERE name = $1'
const STORE_UNREAD = 'UPDATE stream SET applied = $2, unread_from = coalesce(unread_from, $3) WHERE name = $1'
const OWN = `SELECT name, applied, EXISTS (SELECT 1 FROM stream WHERE store = $1 AND unread_from IS NOT NULL) AS unread
  FROM stream WHERE store = $1 AND lane = $2`

const STREAM = 'SELECT store, lane, epoch, applied FROM stream WHERE name = $1'
const FULL = 'SELECT 1 FROM stream WHERE store = $1 AND lane = $2 OFFSET $3 LIMIT 1'
const KNOW = `INSERT INTO lane (store, lane, version) VALUES ($1, $2, $3)
  ON CONFLICT (store, lane) DO UPDATE SET version = excluded.version RETURNING health ->> 'mode' AS mode`

const headsOf = async (on: Querying, { store, lane }: Caller, own: Vector | undefined): Promise<readonly Stream[]> =>
  (await on.query<Stream & Record<string, unknown>>(HEADS, [store, lane, own ? JSON.stringify(own) : null])).rows

export async function headsFor(
  on: Querying,
  caller: Caller,
  { own, kinds, vector }: Pick<Beat, 'own' | 'kinds' | 'vector'>,
): Promise<{ readonly heads: Vector; readonly applied: readonly Stream[] }> {
  if (kinds === undefined) {
    const applied = await headsOf(on, caller, own)
    return { heads: Object.fromEntries(applied.map((stream) => [stream.name, stream.read])), applied }
  }
  const { rows } = await on.query<Stream & { seq: number | null } & Record<string, unknown>>(HEADS_OF_KINDS, [
    caller.store,
    caller.lane,
    own ? JSON.stringify(own) : null,
    kinds,
    JSON.stringify(vector),
  ])
  const heads = Object.fromEntries(rows.flatMap(({ name, seq }) => (seq === null ? [] : [[name, seq]])))
  return { heads, applied: rows }
}

async function recordHeartbeat(
  ctx: StoreContext,
  tx: Querying,
  caller: Caller,
  beat: Beat,
): Promise<LaneContact | { readonly kind: 'mode' }> {
  const { store, lane } = caller
  const { health, vector, heard: reported = {} } = beat
  const proofs = createStreamProofs(ctx.settings.proofKey)
  const isOther = !(await isOfMode(tx, caller, health.mode))
  await detectRestore(tx)
  const unproven = await noteVector(tx, caller, { vector, reported, proofs })
  await tx.query(SEE, [store, lane, JSON.stringify(health), health.version, isOther ? 'mode' : null])
  if (isOther) return { kind: 'mode' }
  const { rows } = await tx.query<{ quarantined: string }>(
    `SELECT count(*) AS quarantined FROM fact_aside JOIN stream ON stream.name = fact_aside.stream
      WHERE store = $1 AND lane = $2 AND settled_at IS NULL`,
    [store, lane],
  )
  const { rows: own } = await tx.query<{ name: string; applied: number; unread: boolean }>(OWN, [store, lane])
  const hasUnread = own.some(({ unread }) => unread)
  // Registers are read before the heads: if a fact arrives in between, the lane counts as behind, and its registers are
  // not compared.
  const registers = beat.registers && (await differingRegisters(tx, store, beat.registers))
  const { heads, applied } = await headsFor(tx, caller, beat)
  const isEven = health.untold === 0 && Object.entries(heads).every(([name, seq]) => seq <= (vector[name] ?? 0))
  const awaited = await awaitedLanes(tx, store)
  const further = applied.filter((stream) => stream.applied > (reported[stream.name]?.seq ?? 0))
  return {
    kind: 'noted',
    heads,
    proven:
      beat.kinds &&
      Object.fromEntries(further.map(({ name, applied: seq }) => [name, { seq, proof: proofs.of(store, name, seq) }])),
    applied: Object.fromEntries(own.map((stream) => [stream.name, stream.applied])),
    awaited: await isAwaited(tx, caller),
    aside: Number(rows[0]?.quarantined ?? 0),
    // Registers are not sent while the store waits for lanes: the missing facts may contain newer values than this lane
    // would send again.
    registers: isEven && registers && awaited.length === 0 && !hasUnread ? registers : undefined,
    holds: beat.holds === undefined ? undefined : await holdsVersion(tx, store, awaited),
    unproven,
    hasUnread,
  }
}

type Known = Caller & { readonly epoch: number; readonly applied: number }
const find = async (tx: Querying, name: string): Promise<Known | null> =>
  (await tx.query<Known & Record<string, unknown>>(STREAM, [name])).rows[0] ?? null

async function openStream(tx: Querying, { store, lane }: Caller, { streams }: Pick<HelloRequest, 'streams'>) {
  const applied: Record<string, number> = {}
  for (const { epoch, name } of streams) {
    let stream = await find(tx, name)
    // The row of an existing stream is not written, because the write would wait for a rebuild.
    if (stream === null) {
      if (await isFull(tx, store, lane)) return { kind: 'too-many-streams' as const }
      await tx.query(
        `INSERT INTO stream (name, store, lane, epoch) VALUES ($1, $2, $3, $4) ON CONFLICT (name) DO NOTHING`,
        [name, store, lane, epoch],
      )
      stream = await find(tx, name)
    }
    if (stream?.store !== store || stream.lane !== lane || stream.epoch !== epoch)
      return { kind: 'other-history' as const }
    applied[name] = stream.applied
  }
  const { name = '', newest = Infinity } = streams.at(-1) ?? {}
  return { kind: 'applied' as const, applied, isBehind: (applied[name] ?? 0) > newest }
}

const isFull = async (tx: Querying, store: string, lane: string): Promise<boolean> =>
  (await tx.query(FULL, [store, lane, MAX_STREAMS_OF_LANE - 1])).count > 0

async function push(
  { projections }: StoreContext,
  tx: Querying,
  caller: Caller,
  name: string,
  facts: readonly Fact[],
): Promise<Pushed> {
  const { store, lane } = caller
  type Locked = { applied: number; unreadFrom: number | null; mayRead: boolean }
  const [stream] = (await tx.query<Locked>(LOCK_STREAM, [name, store, lane])).rows
  if (stream === undefined) return { kind: 'unknown-stream' }
  // A machine that replaces the lane takes over the lane's voucher value under the same lock, so facts of the old
  // machine must be rejected after that.
  if (!(await isEnrolled(tx, caller))) return { kind: 'token' }
  const { applied, unreadFrom, mayRead } = stream
  const again = facts.filter(({ seq }) => seq <= applied)
  const fresh = facts.filter(({ seq }) => seq > applied)
  if (!(await isSame(tx, name, again))) return { kind: 'other-history' }
  if (fresh.some(({ seq }, index) => seq !== applied + 1 + index)) return { kind: 'gap', expected: applied + 1 }
  if (fresh.length === 0) return { kind: 'applied', applied, quarantined: [], fresh }
  const stored = storableJson(fresh)
  const last = applied + fresh.length
  if (mayRead && unreadFrom !== null) await readUnread(tx, projections, { name, unreadFrom })
  await tx.query(INSERT, [name, stored])
  if (!mayRead) {
    await tx.query(STORE_UNREAD, [name, last, applied + 1])
    return { kind: 'applied', applied: last, quarantined: [], fresh }
  }
  // Apply facts as they are stored: a character that the database cannot store must not quarantine valid facts.
  const readable = stored.includes(UNSTORABLE) ? Facts.parse(JSON.parse(stored)) : fresh
  const quarantined = await project(tx, projections, readable, { store, lane, stream: name })
  await tx.query(APPLY, [name, last])
  return { kind: 'applied', applied: last, quarantined: quarantined, fresh }
}

async function pull(
  ctx: StoreContext,
  tx: Querying,
  caller: Caller,
  { vector, own, kinds }: Pick<PullRequest, 'vector' | 'own' | 'kinds'>,
): Promise<Pulled> {
  const facts: ForeignFact[] = []
  const reached: Record<string, number> = {}
  let bytes = MAX_FACTS_BYTES
  const isFull = (): boolean => facts.length >= MAX_FACTS || bytes <= 0
  for (const { name, lane, read } of await headsOf(tx, caller, own)) {
    const after = Math.max(vector[name] ?? 0, own?.[name] ?? 0)
    if (read <= after) continue
    if (isFull()) break
    const range = [name, kinds, after, read, MAX_FACTS - facts.length, bytes]
    const { rows } = await tx.query<Omit<ForeignFact, 'stream' | 'lane'> & { size: number }>(NEXT, range)
    for (const { size, ...row } of rows) {
      facts.push({ ...row, stream: name, lane })
      bytes -= size
    }
    reached[name] = isFull() ? (rows.at(-1)?.seq ?? read) : read
  }
  const proofs = createStreamProofs(ctx.settings.proofKey)
  const proven = Object.fromEntries(
    Object.entries(reached).map(([name, seq]) => [name, proofs.of(caller.store, name, seq)]),
  )
  return { facts, vector: reached, proofs: proven, more: isFull() }
}

export const openSession = (
  { db }: StoreContext,
  caller: Caller,
  { version, ...hello }: HelloRequest,
): Promise<OpenedSession> =>
  db.transaction(async (tx) => {
    const { store, lane } = caller
    await detectRestore(tx)
    const { rows } = await tx.query<{ mode: LaneMode | null }>(KNOW, [store, lane, version])
    const mode = hello.mode ?? rows[0]?.mode ?? null
    const isOther = mode !== null && !(await isOfMode(tx, caller, mode))
    const opened = isOther ? { kind: 'mode' as const } : await openStream(tx, caller, hello)
    const refused = opened.kind === 'applied' ? (opened.isBehind ? 'other-history' : null) : opened.kind
    await tx.query('UPDATE lane SET refused = $3 WHERE store = $1 AND lane = $2', [store, lane, refused])
    return opened.kind === 'applied' ? { ...opened, session: await startSession(tx, caller) } : opened
  })

export const pushFacts = (ctx: StoreContext, caller: Caller, stream: string, facts: readonly Fact[]): Promise<Pushed> =>
  ctx.db.transaction((tx) => push(ctx, tx, caller, stream, facts))

/**
 * Stores the lane's health, and how far it has read beyond this database. Uses one transaction, three when the lease is
 * written, and one more for unread facts. Result `mode`: the lane's mode differs from the store's.
 */
export async function noteHeartbeat(
  ctx: StoreContext,
  caller: Caller,
  beat: Beat,
): Promise<LaneContact | { readonly kind: 'token' | 'mode' }> {
  const { db, projections } = ctx
  let noted = await db.transaction(async (tx) =>
    (await isLeaseCovered(tx, caller, beat)) ? await recordHeartbeat(ctx, tx, caller, beat) : null,
  )
  if (noted === null) {
    if (!(await noteLease(db, caller, beat))) return { kind: 'token' }
    noted = await db.transaction((tx) => recordHeartbeat(ctx, tx, caller, beat))
  }
  if (noted.kind === 'noted' && noted.hasUnread)
    await db.transaction((tx) => readUnreadOf(tx, projections, caller.store))
  return noted
}

/** Returns facts of these kinds after the vector, up to the size limit of one answer, in order per stream. */
export const pullFacts = (
  ctx: StoreContext,
  caller: Caller,
  asked: Pick<PullRequest, 'vector' | 'own' | 'kinds'>,
): Promise<Pulled> => ctx.db.transaction((tx) => pull(ctx, tx, caller, asked))

/**
 * Returns whether facts that were sent again have the stored kinds and subjects. A number can be a subject in every
 * copy of a lane's database, so the times of such facts are compared too.
 */
async function isSame(tx: Querying, stream: string, again: readonly Fact[]): Promise<boolean> {
  const [first] = again
  if (first === undefined) return true
  const { rows } = await tx.query<Pick<Fact, 'seq' | 'kind' | 'subject' | 'at'>>(
    'SELECT seq, kind, subject, at FROM fact_all WHERE stream = $1 AND seq = ANY ($2)',
    [stream, again.map(({ seq }) => seq)],
  )
  const stored = new Map(rows.map((row) => [row.seq, row]))
  return again.every(({ seq, kind, subject, at }) => {
    const original = stored.get(seq)
    if (original?.kind !== storableText(kind) || original.subject !== storableText(subject)) return false
    // A fact that the lane cannot read, now or when it was first sent, has the time 0.
    return !/^\d+$/.test(subject) || at === 0 || original.at === 0 || original.at === at
  })
}
