import { z } from 'zod'
import { RegisterDigests, RegisterStamps } from './registers.ts'
import { LATEST_SEQ, MAX_STREAMS_NAMED, MAX_STREAMS_OF_LANE } from './bounds.ts'

/**
 * Protocol between a lane and its store server, over TLS with the lane's own token. Each lane keeps streams of facts:
 * records of closed things that never change, numbered from 1 without a gap. Facts are sent at least once and applied
 * exactly once. A reader keeps a vector with its position in each stream.
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

/** Maximum lease on voucher value at a lane after its last answered heartbeat. */
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

/** A fact as its lane sends it. */
export const Fact = z.object({
  seq: z.int().positive(),
  kind: z.string().min(1).max(40),
  /** Id of the closed document or the subject of a change: kind and subject never change for a number of a stream. */
  subject: z.string().max(80),
  /** When the fact was first sent, in epoch milliseconds by the lane's clock. */
  at: z.int().min(0),
  body: FactBody,
  /**
   * Sealed part of the fact. The server stores it and cannot read it: it is sealed with the key that the lanes of the
   * store share.
   */
  sealed: z.base64().max(8_192).nullable(),
})
export type Fact = z.infer<typeof Fact>

/** A fact of another lane. */
export const ForeignFact = Fact.extend({ stream: StreamName, lane: z.string() })
export type ForeignFact = z.infer<typeof ForeignFact>

/** Position of a reader: the last number that it has read, by stream. */
export const Vector = z.record(StreamName, Seq)
export type Vector = z.infer<typeof Vector>

const isWithinLimit = (named: Readonly<Record<string, unknown>>): boolean =>
  Object.keys(named).length <= MAX_STREAMS_NAMED
/** Schema of a vector that a lane sends. */
const SentVector = Vector.refine(isWithinLimit)

/**
 * Highest number of each stream for which the lane has a proof of the server, with that proof. A server with a restored
 * database accepts no other statement about facts that it lost.
 */
export const ProvenVector = z.record(StreamName, z.object({ seq: Seq, proof: z.string().max(64) }))
export type ProvenVector = z.infer<typeof ProvenVector>

/**
 * Position of this lane in its own streams. A restored or replaced lane receives its own missing facts like those of
 * another lane; a lane that does not send this position receives none.
 */
const Own = SentVector.optional()

/** Kinds of facts that a lane follows. */
const Kinds = z.array(z.string().min(1).max(40)).min(1).max(40)

/**
 * Lanes for which a restored database waits ('': an unknown lane). A server of the previous release does not send them.
 */
export const AwaitedLanes = z.array(z.string()).optional()

/** Version of the list of held sales, including the lanes for which a restored database waits (`holds.ts`). */
export const HoldsVersion = z.string().max(64)

/** Mode of a lane, training or production: the first lane that reports its mode decides for the whole store. */
export const LaneMode = z.enum(['production', 'training'])
export type LaneMode = z.infer<typeof LaneMode>

/** Body of POST hello: the first request of a lane. */
export const HelloRequest = z.object({
  protocol: z.int(),
  version: z.string().max(40),
  /** Mode of the lane; without it the server takes the mode from the lane's heartbeats. */
  mode: LaneMode.optional(),
  /** All streams of the lane's database, oldest first. */
  streams: z
    .array(
      z.object({
        epoch: z.int().positive(),
        name: StreamName,
        /** Last number that the lane has written in the stream. */
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
  /** Store key: 32 bytes that the lanes of the store share and the server's database does not hold. */
  sealKey: z.base64(),
  /**
   * Certificate (PEM) of the store's own authority, for a lane that pins the server's certificate; missing without one.
   */
  authority: z.string().max(4_096).optional(),
  /** Position of the server in each stream of this lane. */
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
  /** Last number of the stream that the server applied. */
  applied: Seq,
  /**
   * Numbers of this push that the server could not parse: they are stored in quarantine and do not block later facts.
   */
  aside: z.array(z.int()),
})
export type PushAnswer = z.infer<typeof PushAnswer>

/** Status of a lane, sent with every heartbeat. Money is in cents, times are ISO 8601. */
export const LaneHealth = z.object({
  version: z.string().max(40),
  mode: LaneMode,
  /** Number of facts that the server has not confirmed. */
  untold: z.int().min(0),
  queue: z.object({ waiting: z.int(), attention: z.int(), oldestAt: z.iso.datetime().nullable() }),
  central: z.string().max(20),
  drawer: z.object({ open: z.boolean(), since: z.iso.datetime().nullable() }),
  lastSaleAt: z.iso.datetime().nullable(),
  /** Number of devices with a problem, by kind. */
  troubles: z.array(z.string().max(40)).max(20),
  stopped: z.string().max(40).nullable(),
})
export type LaneHealth = z.infer<typeof LaneHealth>

/**
 * Body of POST heartbeat: the server holds the request until there are facts beyond the vector, or the wait is over.
 */
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
  /** Digests of the lane's registers, to compare when the lane has read and sent everything; usually omitted. */
  registers: RegisterDigests.optional(),
  /** Version of the held sales in the last answer that the lane received; empty: none. */
  holds: HoldsVersion.optional(),
  waitMs: z.int().min(0).max(LONGEST_WAIT_MS),
  session: z.int().positive().optional(),
  /**
   * Duration of the lease on voucher value at the lane, from the answer to this heartbeat on. 0: ended, because the
   * lane stops. Missing: without end.
   */
  leaseMs: z.int().min(0).max(LONGEST_LEASE_MS).optional(),
})
export type HeartbeatRequest = z.infer<typeof HeartbeatRequest>
export const HeartbeatAnswer = z.object({
  serverTime: z.iso.datetime(),
  /** Newest number of each stream of the other lanes; for a lane that sends kinds, only facts of those kinds count. */
  heads: Vector,
  /** For a lane that sends kinds: proofs for numbers that the lane did not name, including facts of other kinds. */
  proven: ProvenVector.optional(),
  /** Registers that differ from the lane's; omitted when they were not compared. */
  registers: RegisterStamps.optional(),
  /**
   * Position of the server in the streams of this lane: lower than before if the server's database was restored from a
   * backup.
   */
  applied: Vector.optional(),
  /**
   * Whether the database was restored from a backup: the lane must then confirm that it has sent everything (POST
   * settled).
   */
  awaited: z.boolean().optional(),
  /** Number of facts of this lane in quarantine. */
  aside: z.int(),
  /** Whether a client reads the metrics of this lane at the server (`metrics.ts`). */
  metrics: z.boolean().optional(),
  /**
   * For a lane that sends `holds`: version of the list of held sales, which the lane loads when the version changes.
   */
  holds: HoldsVersion.optional(),
})
export type HeartbeatAnswer = z.infer<typeof HeartbeatAnswer>

/** Body of POST pull: requests facts of these kinds, of other lanes, after the vector. */
export const PullRequest = z.object({
  protocol: z.int(),
  vector: SentVector,
  own: Own,
  kinds: Kinds,
})
export type PullRequest = z.infer<typeof PullRequest>
export const PullAnswer = z.object({
  facts: z.array(ForeignFact),
  /** Position of the reader after these facts, which is also past facts of other kinds. */
  vector: Vector,
  /** Proofs of the server for the numbers in `vector`. A server of the previous release does not send them. */
  proofs: z.record(StreamName, z.string().max(64)).optional(),
  /** Whether there are more facts, so that the lane pulls again at once. */
  more: z.boolean(),
})
export type PullAnswer = z.infer<typeof PullAnswer>

/**
 * Reasons for a refusal by the store server, in addition to those of any server (`token`, `busy`, `unreadable`,
 * `failed`).
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
  /** With `not-settled`: the lanes for which the restored database waits. */
  awaitedLanes: AwaitedLanes,
  serverTime: z.iso.datetime(),
})
export type StoreRefusal = z.infer<typeof StoreRefusal>
