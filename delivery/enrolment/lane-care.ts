import { hkdfSync } from 'node:crypto'
import { existsSync, readFileSync, rmSync } from 'node:fs'
import path from 'node:path'
import { writeWhole } from '../whole-file.ts'
import { openWith, sealWith } from './sealing.ts'

/**
 * What the enrolment puts into a lane's data folder, sealed with the lane's own key: where a key store has that key,
 * the key store opens it and nobody else.
 */
export type SealedName = 'client-secret.enrolled' | 'terminal.enrolment' | 'terminal.device'

const keyOf = (laneKey: Uint8Array, name: SealedName): Buffer =>
  Buffer.from(hkdfSync('sha256', laneKey, Buffer.alloc(0), `milepost ${name} 1`, 32))

export function keepSealed(dataFolder: string, laneKey: Uint8Array, name: SealedName, text: string): void {
  writeWhole(path.join(dataFolder, name), sealWith(keyOf(laneKey, name), name, Buffer.from(text)))
}

/** Null where there is none, or where this key does not open it. */
export function openSealed(dataFolder: string, laneKey: Uint8Array, name: SealedName): string | null {
  const file = path.join(dataFolder, name)
  if (!existsSync(file)) return null
  return openWith(keyOf(laneKey, name), name, readFileSync(file))?.toString('utf8') ?? null
}

export const forgetSealed = (dataFolder: string, name: SealedName): void =>
  rmSync(path.join(dataFolder, name), { force: true })
