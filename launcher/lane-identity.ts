import { laneMarkOf, ownerOf, type LaneIdentity } from '../delivery/identity.ts'
import { TerminalRefused } from '../electron/refused.ts'

/**
 * Whose data the folder holds; null: it has never been started, and its first bundle says whose it is. Throws
 * TerminalRefused where that cannot be read: a bundle of any store would be taken.
 */
export function laneIdentity(dataFolder: string): LaneIdentity | null {
  try {
    return ownerOf(dataFolder)
  } catch {
    throw new TerminalRefused([['laneMark', { file: laneMarkOf(dataFolder) }]], 2)
  }
}
