import type { CommandAnswer } from './answer.ts'
import type { Asker } from './asker.ts'

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
