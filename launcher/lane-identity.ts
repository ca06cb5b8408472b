import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { z } from 'zod'
import type { LaneIdentity } from '../delivery/shelf.ts'
import { TerminalRefused } from '../electron/refused.ts'

/** As the backend marks a data folder at its first start. */
const Sentinel = z.looseObject({
  owner: z.object({ mode: z.enum(['production', 'training']), store: z.string(), lane: z.string() }).optional(),
})

/**
 * Whose data the folder holds; null: it has never been started, and its first bundle says whose it is. Throws
 * TerminalRefused where that cannot be read: a bundle of any store would be taken.
 */
export function laneIdentity(dataFolder: string): LaneIdentity | null {
  const file = path.join(dataFolder, 'terminal.json')
  if (!existsSync(file)) return null
  try {
    return Sentinel.parse(JSON.parse(readFileSync(file, 'utf8'))).owner ?? null
  } catch {
    throw new TerminalRefused(`${file} cannot be read: it says whose lane this is. Take it from your backup.`, 2)
  }
}
