import type { CommitWatch } from '../db/transact.ts'

/**
 * Told of every step between which a crash can fall. The program runs without one: a test ends the process at a step
 * that it names, and the simulation draws its crashes here.
 */
export interface StepObserver extends CommitWatch {
  /** Inside a transaction that is not committed yet: this transition was written, e.g. `redeem intent→approved`. */
  wrote?(transition: string): void
}
