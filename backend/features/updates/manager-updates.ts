import type { OrderUpdate, Updates } from '../../../contracts/api/updates.ts'
import { ProblemError } from '../../http/problem.ts'

export interface ManagerUpdatesOptions {
  /** Of the program that runs. */
  readonly version: string
}

export type ManagerUpdates = ReturnType<typeof createManagerUpdates>

/** What a manager sees and decides of new versions. */
export function createManagerUpdates({ version }: ManagerUpdatesOptions) {
  return {
    read: (): Updates => ({
      slots: false,
      running: { version, since: null, notes: null },
      next: null,
      last: null,
      look: null,
    }),
    /** Throws ProblemError `update-gone`: another version than the one that was shown. */
    order: (_order: OrderUpdate, _staffId: string): Updates => {
      throw new ProblemError('update-gone')
    },
  }
}
