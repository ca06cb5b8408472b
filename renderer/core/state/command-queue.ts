import { create } from 'zustand'
import type { TerminalEvent } from '../../../contracts/core/events.ts'
import { notify } from './notices.ts'

/**
 * An entry of the command queue. `kind`: the kind of the command, such as `ring` or `tender`; null for a key that
 * waits.
 */
interface QueueEntry {
  readonly kind: string | null
  readonly run: () => Promise<void>
}

interface CommandQueue {
  readonly kinds: ReadonlySet<string>
  /**
   * Counts commands without the expected result (rejected, or the cashier must answer a question first), and items that
   * were scanned in the meantime. Each of them drops the waiting keys.
   */
  readonly failed: number
  readonly ended: number
}

/**
 * Commands of this window, sent in the order of the presses. Each is answered before the next is sent; a command whose
 * answer is lost is retried with its idempotency key until it is answered (`api/client.ts`). So a payment covers all
 * items rung before it, and nothing is done twice.
 */
export const useCommands = create<CommandQueue>()(() => ({ kinds: new Set<string>(), failed: 0, ended: 0 }))

export const useInFlight = (kind: string): boolean => useCommands(({ kinds }) => kinds.has(kind))
export const isInFlight = (kind: string): boolean => useCommands.getState().kinds.has(kind)

/** Invalidates the keys queued behind a failed command or behind a change that another input made. */
export const invalidateQueued = (): void => useCommands.setState(({ failed }) => ({ failed: failed + 1 }))

let entries: QueueEntry[] = []
let running = false
/** Index for the next entry that a waiting key adds: directly behind that key. Null: the end of the queue. */
let insertAt: number | null = null

function changed(): void {
  const kinds = new Set(entries.flatMap(({ kind }) => kind ?? []))
  const { kinds: before } = useCommands.getState()
  if (kinds.size !== before.size || [...kinds].some((kind) => !before.has(kind))) useCommands.setState({ kinds })
}

async function goOn(): Promise<void> {
  if (running) return
  running = true
  for (let entry = entries[0]; entry; entry = entries[0]) {
    try {
      await entry.run()
    } catch (error) {
      // A key's action threw an unexpected error: report it, and continue with the next entry.
      setTimeout(() => {
        throw error
      })
    }
    entries.shift()
    changed()
    useCommands.setState(({ ended }) => ({ ended: ended + 1 }))
  }
  running = false
}

function add(entry: QueueEntry): void {
  if (insertAt === null) entries.push(entry)
  else entries.splice(insertAt++, 0, entry)
  changed()
  void goOn()
}

/**
 * Queues work, which runs when all entries before it are done, and returns its result. The work must not await another
 * entry, which would wait for this one.
 */
export const enqueue = <Answer>(kind: string, work: () => Promise<Answer>): Promise<Answer> =>
  new Promise((resolve, reject) => {
    add({ kind, run: async () => work().then(resolve, reject) })
  })

/**
 * Queues a key: the commands that it starts run before the entries queued behind it. Returns a function that removes
 * the key while it waits.
 */
export function enqueueKey(begin: () => void): () => void {
  const entry: QueueEntry = {
    kind: null,
    async run() {
      // The key's action must run after the screen has rendered the previous answer.
      await new Promise((shown) => setTimeout(shown))
      insertAt = 1
      try {
        begin()
      } finally {
        insertAt = null
      }
    },
  }
  add(entry)
  return () => {
    if (entries[0] !== entry) entries = entries.filter((other) => other !== entry)
  }
}

/** For tests: resets the queue to the state of a new window. */
export function resetCommands(): void {
  entries = []
  useCommands.setState({ kinds: new Set(), failed: 0, ended: 0 })
}

const TOPIC = 'central-turned'

/**
 * Shows that the loyalty services fail or work again. The backend does not report an outage shorter than the profile's
 * `noticeAfterMs`.
 */
export function notifyServicesChange({ now, state, since }: Extract<TerminalEvent, { type: 'central-turned' }>): void {
  if (now === 'back')
    notify('success', ({ t, format }) => t('centralTurn.back', { time: format.time(since) }), { topic: TOPIC })
  else
    notify(
      'warning',
      ({ t, format }) => {
        const outage = t('centralTurn.gone', { what: t(`central.what.${state}`), time: format.time(since) })
        return `${outage} ${t(`central.todo.${state}`)}`
      },
      { topic: TOPIC },
    )
}
