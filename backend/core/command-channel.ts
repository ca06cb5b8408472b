import type { Database } from './db/database.ts'
import type { Tx } from './db/transact.ts'
import { ProblemError } from './problem.ts'
import { placeOf } from './integrity/seal.ts'
import { droppedOf, perLane, type Ctx } from './context.ts'

export interface RequestedCommand {
  readonly key: string
  readonly requestFields: readonly string[]
  readonly client: CommandClient
}

interface Known {
  readonly key: string
  readonly asker: CommandClient
  readonly fingerprint: Buffer
}

/** A `stored` command: all its effects are in the database, and its answer commits with them. */
export interface StoredWork {
  readonly kind: 'stored'
  /**
   * Slow work before the transaction, such as checking the PIN of an approval. The function that it resolves with is
   * called when the command has ended, with or without success.
   */
  readonly prepare?: () => Promise<(() => void) | void>
  readonly run: () => CommandAnswer
}

/**
 * A command that ends later or has effects outside the database. Its run stores the key with `storeKey` in the
 * transaction that records its intent; `interrupted` returns the outcome of a run that a restart interrupted.
 */
export interface AwaitedWork {
  readonly kind: 'awaited'
  readonly run: (storeKey: (tx: Tx) => void) => Promise<CommandAnswer>
  /**
   * Returns the outcome of a run that a restart interrupted; null for a command whose effects are outside the database.
   */
  readonly interrupted: (() => CommandAnswer) | null
}

const RETENTION_MS = 24 * 3_600_000

export type CommandChannel = ReturnType<typeof createCommandChannel>

/**
 * Runs each command once per idempotency key (IETF draft Idempotency-Key). Key, window, person, request and answer
 * commit with the effect. A repetition gets the stored answer, or waits for the running command; the key with another
 * request, window or person is refused.
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
        throw new Error('a command that stores its key must implement `interrupted`')
      return work.interrupted()
    }
    return JSON.parse(seal.open(known.answer, placeOfAnswer(key)).toString()) as CommandAnswer
  }

  async function started(asked: Known, work: StoredWork | AwaitedWork): Promise<CommandAnswer> {
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
    /** Whether this client sent the command before and may get the stored answer, even when no one is signed in now. */
    isRepeated: (key: string, asker: CommandClient): boolean => {
      const known = remembered.find(key)?.asker ?? repository.find(key)
      return known !== undefined && mayReceiveAnswer(known, asker)
    },
    /**
     * Runs the work or returns the stored answer. With `again` it never runs the work, and throws ProblemError
     * `sign-in-required` if no answer is stored. Throws the error of the work, even for repetitions, and ProblemError
     * `key-reused` for another request or client.
     */
    async perform(
      { key, requestFields, client: asker }: RequestedCommand,
      work: StoredWork | AwaitedWork,
      again = false,
    ): Promise<CommandAnswer & { readonly replayed: boolean }> {
      const fingerprint = fingerprintOf(JSON.stringify(requestFields))
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

    forgetOld: (): void => {
      const removed = transact((tx) => repository.removeBefore(tx, clock.now() - RETENTION_MS))
      if (removed > 0) droppedOf(ctx).emit('dropped', 'command-answers', removed)
    },
  }
}

function refuseOther(fingerprint: Buffer, asker: CommandClient, again: Known): void {
  if (!fingerprint.equals(again.fingerprint) || !mayReceiveAnswer(asker, again.asker))
    throw new ProblemError('key-reused')
}

export interface CommandAnswer {
  readonly status: number
  readonly body: string | null
}

export interface CommandClient {
  readonly window: string | null
  readonly staffId: string | null
}

/**
 * Whether a client that repeats a command gets the stored answer: only the same window and person do. A start signs
 * everyone out, so a repetition may have no person. A command without a window (the launch link) is bound to its
 * request only.
 */
export const mayReceiveAnswer = (asked: CommandClient, again: CommandClient): boolean =>
  asked.window === null ||
  (asked.window === again.window && (again.staffId === null || asked.staffId === again.staffId))

/** A command that is running, or that was answered or refused a moment ago. */
export interface RememberedCommand {
  readonly fingerprint: Buffer
  readonly asker: CommandClient
  readonly outcome: Promise<CommandAnswer>
}

/** Time in ms for which an answer stays in memory: windows stop repeating a command earlier. */
const REMEMBERED_MS = 10 * 60_000
const MAX = 64

/**
 * Commands whose outcome is not on disk: running ones, refused ones, and those with effects outside the database (a
 * printed test page, the key of a window). A restart clears this list, as it does those effects.
 */
export function createRemembered(clock: { monotonic(): number }) {
  const commands = new Map<string, RememberedCommand & { endedAt: number | null }>()

  function forgetOld(): void {
    const now = clock.monotonic()
    for (const [key, { endedAt }] of commands)
      if (endedAt !== null && (commands.size > MAX || now - endedAt > REMEMBERED_MS)) commands.delete(key)
  }

  return {
    find: (key: string): RememberedCommand | undefined => commands.get(key),
    hold(key: string, command: RememberedCommand, isStored: boolean): void {
      forgetOld()
      const held = { ...command, endedAt: null as number | null }
      commands.set(key, held)
      command.outcome.then(
        () => {
          if (isStored) held.endedAt = clock.monotonic()
          else commands.delete(key)
        },
        () => {
          held.endedAt = clock.monotonic()
        },
      )
    },
  }
}

export interface StoredCommand extends CommandClient {
  readonly fingerprint: Buffer
  readonly answer: Buffer | null
}

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
