import type { Database } from './db/database.ts'
import type { Tx } from './db/transact.ts'
import { ProblemError } from './problem.ts'
import { placeOf } from './integrity/seal.ts'
import { droppedOf, perLane, type Ctx } from './context.ts'

export interface AskedCommand {
  readonly key: string
  /** What is asked: method, address and body. */
  readonly parts: readonly string[]
  readonly asker: Asker
}

/** A command and what tells that it is asked for again. */
interface Known {
  readonly key: string
  readonly asker: Asker
  readonly fingerprint: Buffer
}

/** `stored`: all of its effect is in the database, and its answer commits with it. */
export interface StoredWork {
  readonly kind: 'stored'
  /** What takes time and comes before: the PIN of an approval. What it answers is called when the work has ended. */
  readonly prepare?: () => Promise<(() => void) | void>
  readonly run: () => CommandAnswer
}

/**
 * `awaited`: it ends later, or its effect is in no table. What is on its way in the database calls `claim` in the
 * transaction that puts it there; `interrupted` answers for one that a restart cut off: with what came of it.
 */
export interface AwaitedWork {
  readonly kind: 'awaited'
  readonly run: (claim: (tx: Tx) => void) => Promise<CommandAnswer>
  /** Null where its effect is in no table. */
  readonly interrupted: (() => CommandAnswer) | null
}

/** How long a key lives on the disk. */
const KEPT_MS = 24 * 3_600_000

export type CommandChannel = ReturnType<typeof createCommandChannel>

/**
 * One effect per key, however often a command comes (the Idempotency-Key of the IETF draft). The key, who asked for
 * what, and what was answered stand in the transaction of the effect. The same key again is answered as it was; while
 * the first is under way, the second waits for the same outcome; with another request, from another window or of
 * another person it is refused.
 */
function createCommandChannel(ctx: Ctx) {
  const { db, transact, seal, clock } = ctx
  const { failStop } = ctx.outbox
  const repository = createCommandRepository(db)
  const remembered = createRemembered(clock)
  const fingerprintOf = seal.authenticator('fingerprint of commands')
  const placeOfAnswer = (key: string): string => placeOf('command', 'answer', key)

  function store(tx: Tx, { key, asker, fingerprint }: Known, answer: CommandAnswer | null): void {
    const sealed = answer && seal.seal(Buffer.from(JSON.stringify(answer)), placeOfAnswer(key))
    repository.insert(tx, { key, at: clock.now(), fingerprint, ...asker, answer: sealed })
  }

  function stored(asked: Known, work: StoredWork | AwaitedWork): CommandAnswer | null {
    const { key } = asked
    const known = repository.find(key)
    if (!known) return null
    refuseOther(known.fingerprint, known, asked)
    if (known.answer === null) {
      if (work.kind === 'stored' || !work.interrupted)
        throw new Error('what claims its key says what came of it when it was cut off')
      return work.interrupted()
    }
    return JSON.parse(seal.open(known.answer, placeOfAnswer(key)).toString()) as CommandAnswer
  }

  async function started(asked: Known, work: StoredWork | AwaitedWork): Promise<CommandAnswer> {
    // Before any other rule may answer: nobody waits for what a stopped terminal will never do.
    if (failStop.reason !== null && (work.kind === 'stored' || work.interrupted))
      throw new ProblemError(failStop.reason)
    if (work.kind === 'awaited')
      return work.run((tx) => {
        store(tx, asked, null)
      })
    const done = await work.prepare?.()
    try {
      return transact((tx) => {
        const answer = work.run()
        store(tx, asked, answer)
        return answer
      })
    } finally {
      done?.()
    }
  }

  return {
    /** Whether who asks has asked this already, so that they may be told again when nobody is signed in any more. */
    asksAgain: (key: string, asker: Asker): boolean => {
      const known = remembered.find(key)?.asker ?? repository.find(key)
      return known !== undefined && mayBeTold(known, asker)
    },
    /**
     * Does the work, or answers as it was answered. `again`: for one that may only be told. Throws what the work
     * throws, the first time and each time after; ProblemError `key-reused` for another request, or somebody else's.
     */
    async perform(
      { key, parts, asker }: AskedCommand,
      work: StoredWork | AwaitedWork,
      again = false,
    ): Promise<CommandAnswer & { readonly replayed: boolean }> {
      const fingerprint = fingerprintOf(JSON.stringify(parts))
      const asked = { key, asker, fingerprint }
      const held = remembered.find(key)
      if (held) {
        refuseOther(held.fingerprint, held.asker, asked)
        return { ...(await held.outcome), replayed: true }
      }
      const before = stored(asked, work)
      if (before) return { ...before, replayed: true }
      if (again) throw new ProblemError('sign-in-required')
      const outcome = started(asked, work)
      remembered.hold(key, { fingerprint, asker, outcome }, work.kind === 'awaited')
      return { ...(await outcome), replayed: false }
    },

    /** Forgets keys that nobody repeats any more. */
    forgetOld: (): void => {
      const forgotten = transact((tx) => repository.removeBefore(tx, clock.now() - KEPT_MS))
      if (forgotten > 0) droppedOf(ctx).emit('dropped', 'command-answers', forgotten)
    },
  }
}

function refuseOther(fingerprint: Buffer, asker: Asker, again: Known): void {
  if (!fingerprint.equals(again.fingerprint) || !mayBeTold(asker, again.asker)) throw new ProblemError('key-reused')
}

/** What a window is answered to a command, and is answered again. */
export interface CommandAnswer {
  /** HTTP status. */
  readonly status: number
  /** The bytes of the body, as they were sent first; null where there is none. */
  readonly body: string | null
}

/** Who asks for a command. */
export interface Asker {
  /** Names their window; null where they have none. */
  readonly window: string | null
  /** Who is signed in at it, where the command is for staff alone; null where nobody is. */
  readonly staffId: string | null
}

/**
 * Whether an answer is told to who asks for it again: the same window, and nobody else at it. A start signs everybody
 * out, so that nobody may be there by then. What was asked for without a window is bound to what was asked alone: the
 * launch link.
 */
export const mayBeTold = (asked: Asker, again: Asker): boolean =>
  asked.window === null ||
  (asked.window === again.window && (again.staffId === null || asked.staffId === again.staffId))

/** A command that is under way, or was answered or refused a moment ago. */
export interface RememberedCommand {
  readonly fingerprint: Buffer
  readonly asker: Asker
  readonly outcome: Promise<CommandAnswer>
}

/** A window that still has no answer by then has long been given up. */
const REMEMBERED_MS = 10 * 60_000
const MOST = 64

/**
 * What the disk does not say of commands: which are under way, which were refused, and what those answered whose effect
 * is in no table (a printed test page, the key of a window). A restart forgets it, and what it is about.
 */
export function createRemembered(clock: { monotonic(): number }) {
  const commands = new Map<string, RememberedCommand & { endedAt: number | null }>()

  function forgetOld(): void {
    const now = clock.monotonic()
    for (const [key, { endedAt }] of commands)
      if (endedAt !== null && (commands.size > MOST || now - endedAt > REMEMBERED_MS)) commands.delete(key)
  }

  return {
    find: (key: string): RememberedCommand | undefined => commands.get(key),
    /** Keeps it from now on; `keeps`: whether its answer is kept when it has come, or is on the disk then. */
    hold(key: string, command: RememberedCommand, keeps: boolean): void {
      forgetOld()
      const held = { ...command, endedAt: null as number | null }
      commands.set(key, held)
      command.outcome.then(
        () => {
          if (keeps) held.endedAt = clock.monotonic()
          else commands.delete(key)
        },
        () => {
          held.endedAt = clock.monotonic()
        },
      )
    },
  }
}

export interface StoredCommand extends Asker {
  readonly fingerprint: Buffer
  /** What was answered, sealed; null while the effect is on its way. */
  readonly answer: Buffer | null
}

/** The commands of the last day, by their keys. */
export function createCommandRepository(db: Database) {
  const select = db.prepare<[string], StoredCommand>(
    'SELECT fingerprint, window_id AS window, staff_id AS staffId, answer FROM command WHERE key = ?',
  )
  const insert = db.prepare(
    `INSERT INTO command (key, at, fingerprint, window_id, staff_id, answer)
      VALUES (@key, @at, @fingerprint, @window, @staffId, @answer)`,
  )
  const removeOld = db.prepare('DELETE FROM command WHERE at < ?')
  return {
    find: (key: string): StoredCommand | undefined => select.get(key),
    insert(tx: Tx, command: StoredCommand & { readonly key: string; readonly at: number }): void {
      tx.run(insert, command)
    },
    removeBefore: (tx: Tx, at: number): number => tx.run(removeOld, at).changes,
  }
}

export const commandChannelOf = perLane(createCommandChannel)
