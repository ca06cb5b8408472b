import { randomUUID } from 'node:crypto'
import type { CollectorNumber, EntryMode, ReadId } from '../../contracts/ids.ts'
import type { Clock } from '../clock.ts'

/** A card that was presented on a claimed channel. The entry mode comes from the channel, never from content. */
export interface PresentedCard {
  readonly readId: ReadId
  readonly collectorNumber: CollectorNumber
  readonly entryMode: EntryMode
  readonly last4: string
}

/** Card reads live in memory only; each can be used once and expires. The screen knows one by its id. */
export interface CardReads {
  hold(collectorNumber: CollectorNumber, entryMode: EntryMode): PresentedCard
  /** Takes the read out: a second take, or one that comes too late, answers undefined. */
  take(readId: string): PresentedCard | undefined
}

/** `onExpired`: told of each read that nobody has used in its time. */
export function createCardReads(clock: Clock, lifetimeMs: number, onExpired?: () => void): CardReads {
  const held = new Map<string, PresentedCard & { expiresAt: number }>()
  const forgetExpired = (): void => {
    for (const [id, read] of held) {
      if (read.expiresAt > clock.now()) continue
      held.delete(id)
      onExpired?.()
    }
  }
  return {
    hold(collectorNumber, entryMode) {
      forgetExpired()
      const card: PresentedCard = {
        readId: randomUUID() as ReadId,
        collectorNumber,
        entryMode,
        last4: collectorNumber.slice(-4),
      }
      held.set(card.readId, { ...card, expiresAt: clock.now() + lifetimeMs })
      return card
    },
    take(readId) {
      forgetExpired()
      const card = held.get(readId)
      held.delete(readId)
      return card
    },
  }
}
