import { z } from 'zod'
import { RegisterDigests, RegisterStamps } from './registers.ts'
import { LATEST_SEQ, MAX_STREAMS_NAMED, MAX_STREAMS_OF_LANE } from './bounds.ts'

/**
 * Protocol between a lane and its store server, over TLS with the lane's own token. Each lane writes streams of facts:
 * records of closed things that never change, numbered from 1 without a gap. Facts are sent at least once and applied
 * exactly once. A reader stores a vector with its position in each stream.
 */
export const STORE_PATHS = {
  hello: '/lane/hello',
  facts: '/lane/facts',
  heartbeat: '/lane/heartbeat',
  pull: '/lane/pull',
} as const

/**
 * Version of this protocol. Lane and server may be one release apart and ignore unknown fields of each other, so no
 * schema between them is strict.
 */
export const STORE_PROTOCOL = 1
export const supportsProtocol = (other: number): boolean => Math.abs(other - STORE_PROTOCOL) <= 1

/** Maximum number of facts, and approximate maximum number of bytes, in a push or pull. */
export const MAX_FACTS = 500
export const MAX_FACTS_BYTES = 2 * 1024 * 1024
/** Maximum time in milliseconds for which the server holds a heartbeat until there is news. */
export const LONGEST_WAIT_MS = 10_000

/**
 * Maximum time in milliseconds for which a lane may pay with voucher value that it stores, after its last answered
 * heartbeat.
 */
export const LONGEST_LEASE_MS = 14 * 24 * 3_600_000

export const StreamName = z.string().regex(/^[0-9a-f]{32}$/)
export const Seq = z.int().min(0).max(LATEST_SEQ)

/**
 * Content of a fact: an object parsed from JSON, which the reader of its kind checks. Checking it here as well would
 * cost four times as much as all other work of a push.
 */
const FactBody = z.custom<Record<string, z.core.util.JSONType>>(
  (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
)

export const Fact = z.object({
  seq: z.int().positive(),
  kind: z.string().min(1).max(40),
  /**
   * Id of the document, sale or setting that the fact is about. A number of a stream never changes its kind and
   * subject.
   */
  subject: z.string().max(80),
  /** Time of the recorded event, in epoch milliseconds by the lane's clock; 0 for a fact that the lane cannot read. */
  at: z.int().min(0),
  body: FactBody,
  /** The server stores this value and cannot read it: it is sealed with the key that the lanes of the store share. */
  sealed: z.base64().max(8_192).nullable(),
})
export type Fact = z.infer<typeof Fact>

export const ForeignFact = Fact.extend({ stream: StreamName, lane: z.string() })
export type ForeignFact = z.infer<typeof ForeignFact>

export const Vector = z.record(StreamName, Seq)
export type Vector = z.infer<typeof Vector>

const isWithinLimit = (named: Readonly<Record<string, unknown>>): boolean =>
  Object.keys(named).length <= MAX_STREAMS_NAMED
const SentVector = Vector.refine(isWithinLimit)

/**
 * By stream: the highest number for which the lane holds a proof by the server, with that proof. A server that lost
 * facts in a restore accepts no other report of a lane about them.
 */
export const ProvenVector = z.record(StreamName, z.object({ seq: Seq, proof: z.string().max(64) }))
export type ProvenVector = z.infer<typeof ProvenVector>

/**
 * Position of this lane in its own streams. A restored or replaced lane receives the facts of its own that it lost,
 * like those of another lane; a lane that does not send this position receives none.
 */
const Own = SentVector.optional()

const Kinds = z.array(z.string().min(1).max(40)).min(1).max(40)

/**
 * Lanes that must send their facts again to a restored server ('': an unknown lane). A server of the previous release
 * does not send them.
 */
export const AwaitedLanes = z.array(z.string()).optional()

/** Version of the list of held sales; it also changes with the lanes for which a restored server waits (`holds.ts`). */
export const HoldsVersion = z.string().max(64)

/** Mode of a lane, training or production: the first lane that reports its mode decides for the whole store. */
export const LaneMode = z.enum(['production', 'training'])
export type LaneMode = z.infer<typeof LaneMode>

export const HelloRequest = z.object({
  protocol: z.int(),
  version: z.string().max(40),
  /** Mode of the lane; if it is missing, the server takes the mode from the lane's heartbeats. */
  mode: LaneMode.optional(),
  streams: z
    .array(
      z.object({
        epoch: z.int().positive(),
        name: StreamName,
        newest: Seq.optional(),
      }),
    )
    .min(1)
    .max(MAX_STREAMS_OF_LANE),
})
export type HelloRequest = z.infer<typeof HelloRequest>
export const HelloAnswer = z.object({
  protocol: z.int(),
  store: z.string(),
  lane: z.string(),
  sealKey: z.base64(),
  /**
   * Certificate (PEM) of the store's own authority, for a lane that pins the server's certificate; missing without one.
   */
  authority: z.string().max(4_096).optional(),
  applied: Vector,
  /** Number of this session of the lane, which its following heartbeats repeat. */
  session: z.int().positive().optional(),
  serverTime: z.iso.datetime(),
})
export type HelloAnswer = z.infer<typeof HelloAnswer>

/** Body of POST facts: the next facts of one stream. */
export const PushRequest = z.object({
  protocol: z.int(),
  stream: StreamName,
  epoch: z.int().positive(),
  facts: z.array(Fact).min(1).max(MAX_FACTS),
})
export type PushRequest = z.infer<typeof PushRequest>
export const PushAnswer = z.object({
  applied: Seq,
  aside: z.array(z.int()),
})
export type PushAnswer = z.infer<typeof PushAnswer>

/**
 * Status of a lane, sent with every heartbeat and shown on the pages of the whole store. Money is in cents, times are
 * ISO 8601.
 */
export const LaneHealth = z.object({
  version: z.string().max(40),
  mode: LaneMode,
  untold: z.int().min(0),
  queue: z.object({ waiting: z.int(), attention: z.int(), oldestAt: z.iso.datetime().nullable() }),
  central: z.string().max(20),
  drawer: z.object({ open: z.boolean(), since: z.iso.datetime().nullable() }),
  lastSaleAt: z.iso.datetime().nullable(),
  troubles: z.array(z.string().max(40)).max(20),
  stopped: z.string().max(40).nullable(),
})
export type LaneHealth = z.infer<typeof LaneHealth>

/** Body of POST heartbeat. The server holds the request until it has news, or `waitMs` is over. */
export const HeartbeatRequest = z.object({
  protocol: z.int(),
  health: LaneHealth,
  vector: SentVector,
  /** Optional, because a lane of the previous release does not send it. */
  heard: ProvenVector.refine(isWithinLimit).optional(),
  own: Own,
  /**
   * Kinds of facts that count as news and end the wait. For a lane of the previous release, which sends none, every
   * fact is news.
   */
  kinds: Kinds.optional(),
  /**
   * Digests of the lane's registers (`registers.ts`), which the server compares with its own. Sent only when the lane
   * has read and sent all facts.
   */
  registers: RegisterDigests.optional(),
  /** Version of the held sales in the last answer that the lane received; empty: not received yet. */
  holds: HoldsVersion.optional(),
  waitMs: z.int().min(0).max(LONGEST_WAIT_MS),
  session: z.int().positive().optional(),
  /**
   * Time in milliseconds from the answer on, for which the lane may pay with voucher value that it stores. 0: no
   * longer, because the lane stops. Missing: without end.
   */
  leaseMs: z.int().min(0).max(LONGEST_LEASE_MS).optional(),
})
export type HeartbeatRequest = z.infer<typeof HeartbeatRequest>
export const HeartbeatAnswer = z.object({
  serverTime: z.iso.datetime(),
  /** By stream of other lanes: the newest number of a fact; for a lane that sends kinds, of a fact of those kinds. */
  heads: Vector,
  /**
   * For a lane that sends kinds: proofs by the server of numbers beyond the lane's vector, which include facts of other
   * kinds.
   */
  proven: ProvenVector.optional(),
  /** Stamps of the registers that differ from the lane's; omitted when they were not compared. */
  registers: RegisterStamps.optional(),
  /**
   * Position of the server in the streams of this lane: lower than before if the server's database was restored from a
   * backup.
   */
  applied: Vector.optional(),
  /**
   * Whether the server was restored from a backup and needs the lane's confirmation that it has sent everything (POST
   * settled).
   */
  awaited: z.boolean().optional(),
  aside: z.int(),
  metrics: z.boolean().optional(),
  /**
   * For a lane that sends `holds`: current version of the list of held sales; the lane loads the list when the version
   * changes.
   */
  holds: HoldsVersion.optional(),
})
export type HeartbeatAnswer = z.infer<typeof HeartbeatAnswer>

/** Body of POST pull: requests the facts of other lanes after the vector, of these kinds. */
export const PullRequest = z.object({
  protocol: z.int(),
  vector: SentVector,
  own: Own,
  kinds: Kinds,
})
export type PullRequest = z.infer<typeof PullRequest>
export const PullAnswer = z.object({
  facts: z.array(ForeignFact),
  vector: Vector,
  /** Proofs by the server of the numbers in `vector`. A server of the previous release does not send them. */
  proofs: z.record(StreamName, z.string().max(64)).optional(),
  more: z.boolean(),
})
export type PullAnswer = z.infer<typeof PullAnswer>

/**
 * Reasons with which the store server refuses a connection, a heartbeat or facts, in addition to the general ones
 * (`token`, `proof`, `nonce`, `busy`, `unreadable`, `database`, `failed`).
 */
export const STORE_REFUSALS = [
  'protocol',
  'gap',
  'other-history',
  'unknown-stream',
  'mode',
  'too-many-streams',
] as const
export const StoreRefusal = z.object({
  refused: z.string(),
  /** With `gap`: the next number that the server expects. */
  expected: z.int().optional(),
  /** With `not-settled`: the lanes that must first send their facts again to the restored server. */
  awaitedLanes: AwaitedLanes,
  serverTime: z.iso.datetime(),
})
export type StoreRefusal = z.infer<typeof StoreRefusal>
