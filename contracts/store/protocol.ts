import { z } from 'zod'
import { RegisterDigests, RegisterStamps } from './registers.ts'
import { LATEST_SEQ, MOST_STREAMS_NAMED, MOST_STREAMS_OF_LANE } from './bounds.ts'

/**
 * What a lane and its store's server say to each other, over TLS, with the lane's own token. Each lane keeps streams of
 * facts: things that are closed and stay as they are, numbered from 1 without a gap. They are told at least once and
 * applied exactly once. Whoever reads keeps a vector: how far it has come in each stream.
 */
export const STORE_PATHS = {
  hello: '/lane/hello',
  facts: '/lane/facts',
  heartbeat: '/lane/heartbeat',
  pull: '/lane/pull',
} as const

/**
 * Of what is said here. Lane and server may be one apart: each passes over what the other says beyond what it knows, so
 * no schema of what goes between them is a strict one.
 */
export const STORE_PROTOCOL = 1
export const speaksWith = (other: number): boolean => Math.abs(other - STORE_PROTOCOL) <= 1

/** A push or a pull has at most so many facts, and about so many bytes. */
export const MOST_FACTS = 500
export const MOST_FACTS_BYTES = 2 * 1024 * 1024
/** So long a heartbeat may be held back until there is news, in milliseconds. */
export const LONGEST_WAIT_MS = 10_000

/** Value lies at a lane for at most so long after the last heartbeat that was answered. */
export const LONGEST_LEASE_MS = 14 * 24 * 3_600_000

export const StreamName = z.string().regex(/^[0-9a-f]{32}$/)
export const Seq = z.int().min(0).max(LATEST_SEQ)

/**
 * An object that came out of JSON: who knows its kind reads what is in it. To walk through it here too would cost four
 * times as much as all else that is done to a push.
 */
const FactBody = z.custom<Record<string, z.core.util.JSONType>>(
  (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
)

/** A fact as its lane tells it. */
export const Fact = z.object({
  seq: z.int().positive(),
  kind: z.string().min(1).max(40),
  /** Id of what it tells of: with the kind, the same for ever under its number. */
  subject: z.string().max(80),
  /** When it was told of first, epoch milliseconds by the lane's clock. */
  at: z.int().min(0),
  body: FactBody,
  /** What the server keeps and cannot read: sealed with the key that the store's lanes share. */
  sealed: z.base64().max(8_192).nullable(),
})
export type Fact = z.infer<typeof Fact>

/** A fact of another lane. */
export const ForeignFact = Fact.extend({ stream: StreamName, lane: z.string() })
export type ForeignFact = z.infer<typeof ForeignFact>

/** How far a reader has come: the last number by stream. */
export const Vector = z.record(StreamName, Seq)
export type Vector = z.infer<typeof Vector>

const isFew = (named: Readonly<Record<string, unknown>>): boolean => Object.keys(named).length <= MOST_STREAMS_NAMED
/** A vector as a lane sends it. */
const SentVector = Vector.refine(isFew)

/**
 * The furthest number of each stream for which the lane has a proof of the server, and that proof. A server whose
 * database was restored believes no other statement about what it lost.
 */
export const Heard = z.record(StreamName, z.object({ seq: Seq, proof: z.string().max(64) }))
export type Heard = z.infer<typeof Heard>

/**
 * How far this lane has come itself in its own streams. One that was restored or replaced hears what it lacks of them
 * as it hears another lane; one that does not say it hears none of it.
 */
const Own = SentVector.optional()

/** Kinds of facts that a lane follows. */
const Kinds = z.array(z.string().min(1).max(40)).min(1).max(40)

/**
 * Lanes that a database which was put back waits for ('': one that it does not know). A server of the release before
 * does not say which.
 */
export const AwaitedLanes = z.array(z.string()).optional()

/** Of the list of sales on hold, also of the lanes that are awaited (`holds.ts`). */
export const HoldsVersion = z.string().max(64)

/** A store trains, or it sells: whichever of its lanes says first what it does decides for all. */
export const LaneMode = z.enum(['production', 'training'])
export type LaneMode = z.infer<typeof LaneMode>

/** POST hello: a lane that begins to speak. */
export const HelloRequest = z.object({
  protocol: z.int(),
  version: z.string().max(40),
  /** Of a lane that does not say it, the mode is what its heartbeats say. */
  mode: LaneMode.optional(),
  /** Every history of its database, oldest first. */
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
  /** PEM of the store's own authority, for a lane that pins the server's certificate; missing where there is none. */
  authority: z.string().max(4_096).optional(),
  /** What the server has of each stream of this lane. */
  applied: Vector,
  /** The number of this greeting, which the heartbeats that follow it repeat. */
  session: z.int().positive().optional(),
  serverTime: z.iso.datetime(),
})
export type HelloAnswer = z.infer<typeof HelloAnswer>

/** POST facts: the next of one stream. */
export const PushRequest = z.object({
  protocol: z.int(),
  stream: StreamName,
  epoch: z.int().positive(),
  facts: z.array(Fact).min(1).max(MOST_FACTS),
})
export type PushRequest = z.infer<typeof PushRequest>
export const PushAnswer = z.object({
  /** The last number that is applied now. */
  applied: Seq,
  /** Numbers of this push that the server could not read: they are kept, set aside, and hold nothing up. */
  aside: z.array(z.int()),
})
export type PushAnswer = z.infer<typeof PushAnswer>

/** What a lane says of itself with every heartbeat. Money in cents, times ISO 8601. */
export const LaneHealth = z.object({
  version: z.string().max(40),
  mode: LaneMode,
  /** Facts that the server has not confirmed. */
  untold: z.int().min(0),
  queue: z.object({ waiting: z.int(), attention: z.int(), oldestAt: z.iso.datetime().nullable() }),
  central: z.string().max(20),
  drawer: z.object({ open: z.boolean(), since: z.iso.datetime().nullable() }),
  lastSaleAt: z.iso.datetime().nullable(),
  /** Devices that are not as they should be, by kind. */
  troubles: z.array(z.string().max(40)).max(20),
  stopped: z.string().max(40).nullable(),
})
export type LaneHealth = z.infer<typeof LaneHealth>

/** POST heartbeat: held back until something is news to the vector, or the wait is over. */
export const HeartbeatRequest = z.object({
  protocol: z.int(),
  health: LaneHealth,
  vector: SentVector,
  /** A lane of the release before sends none. */
  heard: Heard.refine(isFew).optional(),
  own: Own,
  /** Only news of these kinds ends the wait. A lane of the release before names none: every fact is news to it. */
  kinds: Kinds.optional(),
  /** Compared where the lane has read and told everything; left out most of the time. */
  registers: RegisterDigests.optional(),
  /** The version of the held sales that the last answer named; empty: none did. */
  holds: HoldsVersion.optional(),
  waitMs: z.int().min(0).max(LONGEST_WAIT_MS),
  session: z.int().positive().optional(),
  /**
   * How long from now the lane pays with value that lies at it, once this heartbeat is answered. 0: no longer, since it
   * stops. A lane that does not say it does so without end.
   */
  leaseMs: z.int().min(0).max(LONGEST_LEASE_MS).optional(),
})
export type HeartbeatRequest = z.infer<typeof HeartbeatRequest>
export const HeartbeatAnswer = z.object({
  serverTime: z.iso.datetime(),
  /** The newest of each stream of the other lanes; to a lane that names kinds, the newest fact of those kinds. */
  heads: Vector,
  /** To a lane that names kinds: proofs of what the database has beyond `heard`, also of other kinds. */
  proven: Heard.optional(),
  /** Registers that are not as the lane has them; left out where they were not compared. */
  registers: RegisterStamps.optional(),
  /** What the server has of the streams of this lane: less than it had where its database came back from a backup. */
  applied: Vector.optional(),
  /** The database came back from a backup: the lane is to say that it has told everything (POST settled). */
  awaited: z.boolean().optional(),
  /** Facts that were set aside, of this lane. */
  aside: z.int(),
  /** True: somebody reads here what this lane counts (`metrics.ts`). */
  metrics: z.boolean().optional(),
  /** To a lane that sends `holds`: the version of the list of held sales, which the lane asks for when it changes. */
  holds: HoldsVersion.optional(),
})
export type HeartbeatAnswer = z.infer<typeof HeartbeatAnswer>

/** POST pull: facts of these kinds, of other lanes, behind the vector. */
export const PullRequest = z.object({
  protocol: z.int(),
  vector: SentVector,
  own: Own,
  kinds: Kinds,
})
export type PullRequest = z.infer<typeof PullRequest>
export const PullAnswer = z.object({
  facts: z.array(ForeignFact),
  /** Where the reader stands once it has taken these: also behind facts of other kinds. */
  vector: Vector,
  /** Proofs of the server for these numbers. A server of the release before sends none. */
  proofs: z.record(StreamName, z.string().max(64)).optional(),
  /** True: ask again at once. */
  more: z.boolean(),
})
export type PullAnswer = z.infer<typeof PullAnswer>

/** Why the server did nothing, beside the refusals of any server (`token`, `busy`, `unreadable`, `failed`). */
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
  /** With `gap`: the number that is to come next. */
  expected: z.int().optional(),
  /** With `not-settled`. */
  awaitedLanes: AwaitedLanes,
  serverTime: z.iso.datetime(),
})
export type StoreRefusal = z.infer<typeof StoreRefusal>
