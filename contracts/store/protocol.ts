import { z } from 'zod'
import { RegisterDigests, RegisterStamps } from './registers.ts'
import { LATEST_SEQ, MOST_STREAMS_NAMED, MOST_STREAMS_OF_LANE } from './bounds.ts'

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

/** Most facts, and approximately most bytes, in a push or pull. */
export const MOST_FACTS = 500
export const MOST_FACTS_BYTES = 2 * 1024 * 1024
/** Longest time that the server holds a heartbeat open until there is news, in milliseconds. */
export const LONGEST_WAIT_MS = 10_000

/** Longest lease on value at a lane after its last answered heartbeat. */
export const LONGEST_LEASE_MS = 14 * 24 * 3_600_000

export const StreamName = z.string().regex(/^[0-9a-f]{32}$/)
export const Seq = z.int().min(0).max(LATEST_SEQ)

/**
 * An object parsed from JSON; the reader of its kind checks its contents. Checking it here as well would cost four
 * times as much as the rest of a push.
 */
const FactBody = z.custom<Record<string, z.core.util.JSONType>>(
  (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
)

/** A fact as its lane sends it. */
export const Fact = z.object({
  seq: z.int().positive(),
  kind: z.string().min(1).max(40),
  /** Id of the thing: kind and subject never change for a number of a stream. */
  subject: z.string().max(80),
  /** When it was first sent, epoch milliseconds by the lane's clock. */
  at: z.int().min(0),
  body: FactBody,
  /** Stored by the server, which cannot read it: sealed with the key that the store's lanes share. */
  sealed: z.base64().max(8_192).nullable(),
})
export type Fact = z.infer<typeof Fact>

/** A fact of another lane. */
export const ForeignFact = Fact.extend({ stream: StreamName, lane: z.string() })
export type ForeignFact = z.infer<typeof ForeignFact>

/** Position of a reader: the last number by stream. */
export const Vector = z.record(StreamName, Seq)
export type Vector = z.infer<typeof Vector>

const isFew = (named: Readonly<Record<string, unknown>>): boolean => Object.keys(named).length <= MOST_STREAMS_NAMED
/** A vector as a lane sends it. */
const SentVector = Vector.refine(isFew)

/**
 * The highest number of each stream for which the lane has a proof of the server, with that proof. A server with a
 * restored database accepts no other statement about facts that it lost.
 */
export const ProvenVector = z.record(StreamName, z.object({ seq: Seq, proof: z.string().max(64) }))
export type ProvenVector = z.infer<typeof ProvenVector>

/**
 * Position of this lane in its own streams. A restored or replaced lane receives its own missing facts like those of
 * another lane; a lane that does not send this receives none.
 */
const Own = SentVector.optional()

/** Kinds of facts that a lane follows. */
const Kinds = z.array(z.string().min(1).max(40)).min(1).max(40)

/**
 * Lanes that a restored database waits for ('': an unknown lane). A server of the previous release does not send them.
 */
export const AwaitedLanes = z.array(z.string()).optional()

/** Version of the list of held sales, including awaited lanes (`holds.ts`). */
export const HoldsVersion = z.string().max(64)

/** Training or production: the first lane that reports its mode decides for the whole store. */
export const LaneMode = z.enum(['production', 'training'])
export type LaneMode = z.infer<typeof LaneMode>

/** POST hello: the first request of a lane. */
export const HelloRequest = z.object({
  protocol: z.int(),
  version: z.string().max(40),
  /** Without it, the mode is taken from the lane's heartbeats. */
  mode: LaneMode.optional(),
  /** All histories of its database, oldest first. */
  streams: z
    .array(
      z.object({
        epoch: z.int().positive(),
        name: StreamName,
        /** The last number that the lane has written in it. */
        newest: Seq.optional(),
      }),
    )
    .min(1)
    .max(MOST_STREAMS_OF_LANE),
})
export type HelloRequest = z.infer<typeof HelloRequest>
export const HelloAnswer = z.object({
  protocol: z.int(),
  store: z.string(),
  lane: z.string(),
  /** 32 bytes that the lanes of the store share and its database does not hold. */
  sealKey: z.base64(),
  /** PEM of the store's own authority, for a lane that pins the server's certificate; missing without one. */
  authority: z.string().max(4_096).optional(),
  /** The server's position in each stream of this lane. */
  applied: Vector,
  /** Number of this session, which the following heartbeats repeat. */
  session: z.int().positive().optional(),
  serverTime: z.iso.datetime(),
})
export type HelloAnswer = z.infer<typeof HelloAnswer>

/** POST facts: the next facts of one stream. */
export const PushRequest = z.object({
  protocol: z.int(),
  stream: StreamName,
  epoch: z.int().positive(),
  facts: z.array(Fact).min(1).max(MOST_FACTS),
})
export type PushRequest = z.infer<typeof PushRequest>
export const PushAnswer = z.object({
  /** The last applied number. */
  applied: Seq,
  /** Numbers of this push that the server could not parse: stored in quarantine, without blocking later facts. */
  aside: z.array(z.int()),
})
export type PushAnswer = z.infer<typeof PushAnswer>

/** Status of a lane, sent with every heartbeat. Money in cents, times ISO 8601. */
export const LaneHealth = z.object({
  version: z.string().max(40),
  mode: LaneMode,
  /** Facts that the server has not confirmed. */
  untold: z.int().min(0),
  queue: z.object({ waiting: z.int(), attention: z.int(), oldestAt: z.iso.datetime().nullable() }),
  central: z.string().max(20),
  drawer: z.object({ open: z.boolean(), since: z.iso.datetime().nullable() }),
  lastSaleAt: z.iso.datetime().nullable(),
  /** Devices with a problem, by kind. */
  troubles: z.array(z.string().max(40)).max(20),
  stopped: z.string().max(40).nullable(),
})
export type LaneHealth = z.infer<typeof LaneHealth>

/** POST heartbeat: held open until there are facts beyond the vector, or the wait is over. */
export const HeartbeatRequest = z.object({
  protocol: z.int(),
  health: LaneHealth,
  vector: SentVector,
  /** A lane of the previous release does not send it. */
  heard: ProvenVector.refine(isFew).optional(),
  own: Own,
  /** Only news of these kinds ends the wait. A lane of the previous release sends none: every fact is news to it. */
  kinds: Kinds.optional(),
  /** Compared when the lane has read and sent everything; usually left out. */
  registers: RegisterDigests.optional(),
  /** The version of the held sales in the last answer; empty: none. */
  holds: HoldsVersion.optional(),
  waitMs: z.int().min(0).max(LONGEST_WAIT_MS),
  session: z.int().positive().optional(),
  /**
   * Lease on value at the lane, from the answer to this heartbeat on. 0: ended, because the lane stops. Missing:
   * without end.
   */
  leaseMs: z.int().min(0).max(LONGEST_LEASE_MS).optional(),
})
export type HeartbeatRequest = z.infer<typeof HeartbeatRequest>
export const HeartbeatAnswer = z.object({
  serverTime: z.iso.datetime(),
  /** The newest number of each stream of the other lanes; for a lane that sends kinds, of facts of those kinds. */
  heads: Vector,
  /** For a lane that sends kinds: proofs of facts that the lane did not name, also of other kinds. */
  proven: ProvenVector.optional(),
  /** Registers that differ from the lane's; left out when they were not compared. */
  registers: RegisterStamps.optional(),
  /**
   * The server's position in the streams of this lane: lower than before if its database was restored from a backup.
   */
  applied: Vector.optional(),
  /** The database was restored from a backup: the lane must confirm that it has sent everything (POST settled). */
  awaited: z.boolean().optional(),
  /** Facts of this lane in quarantine. */
  aside: z.int(),
  /** True: the metrics of this lane are read here (`metrics.ts`). */
  metrics: z.boolean().optional(),
  /** For a lane that sends `holds`: the version of the list of held sales, which the lane loads when it changes. */
  holds: HoldsVersion.optional(),
})
export type HeartbeatAnswer = z.infer<typeof HeartbeatAnswer>

/** POST pull: facts of these kinds, of other lanes, after the vector. */
export const PullRequest = z.object({
  protocol: z.int(),
  vector: SentVector,
  own: Own,
  kinds: Kinds,
})
export type PullRequest = z.infer<typeof PullRequest>
export const PullAnswer = z.object({
  facts: z.array(ForeignFact),
  /** Position of the reader after these facts: also past facts of other kinds. */
  vector: Vector,
  /** Proofs of the server for these numbers. A server of the previous release does not send them. */
  proofs: z.record(StreamName, z.string().max(64)).optional(),
  /** True: pull again at once. */
  more: z.boolean(),
})
export type PullAnswer = z.infer<typeof PullAnswer>

/** Reasons for a refusal, in addition to those of any server (`token`, `busy`, `unreadable`, `failed`). */
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
  /** With `not-settled`. */
  awaitedLanes: AwaitedLanes,
  serverTime: z.iso.datetime(),
})
export type StoreRefusal = z.infer<typeof StoreRefusal>
