import { create } from 'zustand'
import type { TerminalEvent } from '../../../contracts/core/events.ts'
import { notify } from './notices.ts'

/**
 * One thing that the terminal is to do, in its turn. `kind`: what it touches (ring, line, tender, …); null for a key
 * that waits.
 */
interface Turn {
  readonly kind: string | null
  readonly run: () => Promise<void>
}

interface CommandQueue {
  /** What is under way or waits, by its kind. */
  readonly kinds: ReadonlySet<string>
  /**
   * How many commands have not brought what they were to bring: refused, or there is something to ask first; and items
   * that were scanned between.
   */
  readonly missed: number
  /** How many turns have ended. */
  readonly ended: number
}

/**
 * What this window asks of the terminal, one after another in the order of the hand: each command is answered before
 * the next leaves, and one whose answer is lost goes again under its key until it is answered (`api/client.ts`). So
 * nothing is paid before what was rung, and nothing is done twice.
 */
export const useCommands = create<CommandQueue>()(() => ({ kinds: new Set<string>(), missed: 0, ended: 0 }))

export const useUnderWay = (kind: string): boolean => useCommands(({ kinds }) => kinds.has(kind))
export const isUnderWay = (kind: string): boolean => useCommands.getState().kinds.has(kind)

/**
 * A command has not brought what it was to bring, or something came between: what was meant to build on it is looked at
 * again.
 */
export const miss = (): void => useCommands.setState(({ missed }) => ({ missed: missed + 1 }))

let turns: Turn[] = []
let running = false
/** Where the next turn goes that a waiting key begins: behind that key, before whatever waits. Null: to the end. */
let place: number | null = null

function changed(): void {
  const kinds = new Set(turns.flatMap(({ kind }) => kind ?? []))
  const { kinds: before } = useCommands.getState()
  if (kinds.size !== before.size || [...kinds].some((kind) => !before.has(kind))) useCommands.setState({ kinds })
}

async function goOn(): Promise<void> {
  if (running) return
  running = true
  for (let turn = turns[0]; turn; turn = turns[0]) {
    try {
      await turn.run()
    } catch (error) {
      // A defect of a key's own: it is told, and whatever waits behind it still has its turn.
      setTimeout(() => {
        throw error
      })
    }
    turns.shift()
    changed()
    useCommands.setState(({ ended }) => ({ ended: ended + 1 }))
  }
  running = false
}

function add(turn: Turn): void {
  if (place === null) turns.push(turn)
  else turns.splice(place++, 0, turn)
  changed()
  void goOn()
}

/**
 * Runs the work when everything before it is answered; answers or throws what it does. Never await another turn in it.
 */
export const inTurn = <Answer>(kind: string, work: () => Promise<Answer>): Promise<Answer> =>
  new Promise((resolve, reject) => {
    add({ kind, run: async () => work().then(resolve, reject) })
  })

/**
 * Keeps a key for its turn: the commands that it begins come before whatever waits behind it. Answers what takes it out
 * again while it waits.
 */
export function keepTurn(begin: () => void): () => void {
  const turn: Turn = {
    kind: null,
    async run() {
      // When the screen has what the answer before it brought.
      await new Promise((shown) => setTimeout(shown))
      place = 1
      try {
        begin()
      } finally {
        place = null
      }
    },
  }
  add(turn)
  return () => {
    if (turns[0] !== turn) turns = turns.filter((other) => other !== turn)
  }
}

/** Test seam: forget everything, as a fresh window. */
export function resetCommands(): void {
  turns = []
  useCommands.setState({ kinds: new Set(), missed: 0, ended: 0 })
}

/** The services are gone, or back: the second takes the place of the first. */
const TOPIC = 'central-turned'

/** Told by the backend, which leaves out what lasts shorter than the profile's `noticeAfterMs`. */
export function notifyCentralTurned({ now, state, since }: Extract<TerminalEvent, { type: 'central-turned' }>): void {
  if (now === 'back')
    notify('success', ({ t, format }) => t('centralTurn.back', { time: format.time(since) }), { topic: TOPIC })
  else
    notify(
      'warning',
      ({ t, format }) => {
        const gone = t('centralTurn.gone', { what: t(`central.what.${state}`), time: format.time(since) })
        return `${gone} ${t(`central.todo.${state}`)}`
      },
      { topic: TOPIC },
    )
}
