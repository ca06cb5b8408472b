import { readdirSync, readFileSync } from 'node:fs'
import { homedir, hostname, userInfo } from 'node:os'
import { join } from 'node:path'
import type { Database } from '../../db/open.ts'

/** Something that the lane holds and that must not be in a support file, whatever it looks like. */
export interface HeldValue {
  readonly value: string
  /** `plain`: people, places of the machine and its environment; a number or an id may have the same letters. */
  readonly kind: 'secret' | 'plain'
}

/** Files of the data folder that hold a key or a secret, as text or sealed. */
const SECRET_FILES = /^(seal|client)[.-](key|secret)|^(seal-key|client-secret)\.sealed$/
/** A variable of the environment with such a name is a secret, however short. */
const SECRET_NAME = /secret|token|key|pass|pin|cred|auth/i
/** Shorter values of the environment are words of everybody: `en`, `1`, `xterm`. */
const SHORTEST_PLAIN = 8
const SHORTEST_SECRET = 4

export interface HeldBy {
  readonly dataFolder: string
  readonly environment: NodeJS.ProcessEnv
  readonly db: Database
  /** What this process holds beside its files: the client secret, the sealing key. */
  readonly secrets: readonly (string | Uint8Array)[]
}

/** Everything that the lane's own key store, its environment and its list of people hold. */
export function heldValues({ dataFolder, environment, db, secrets }: HeldBy): HeldValue[] {
  const people = db.prepare<[], { id: string; name: string }>('SELECT id, name FROM staff').all()
  const named = [...people.map(({ name }) => name), hostname(), ...ownName(), homedir(), dataFolder]
  return [
    ...[...secrets, ...filesIn(dataFolder)].flatMap(formsOf).map((value) => ({ kind: 'secret', value }) as const),
    ...Object.entries(environment).flatMap(([name, value]) => heldIn(name, value)),
    ...named.map((value) => ({ kind: 'plain', value }) as const),
  ].filter(({ value }) => value.length > 1)
}

/** None where this machine has no name for its user: a directory service may be away. */
function ownName(): string[] {
  try {
    return [userInfo().username]
  } catch {
    return []
  }
}

function heldIn(name: string, value: string | undefined): HeldValue[] {
  if (value === undefined) return []
  if (SECRET_NAME.test(name) && value.length >= SHORTEST_SECRET)
    return formsOf(value).map((form) => ({ kind: 'secret', value: form }))
  return value.length >= SHORTEST_PLAIN ? [{ kind: 'plain', value }] : []
}

/** Keys and secrets of the data folder: as text, or as the key store has sealed them. */
const filesIn = (folder: string): (string | Uint8Array)[] =>
  readdirSync(folder)
    .filter((name) => SECRET_FILES.test(name))
    .map((name) => {
      const bytes = readFileSync(join(folder, name))
      return name.endsWith('.sealed') ? bytes : bytes.toString('utf8').trim()
    })

/** A secret as it stands, and as base64 and hex would write it; a text that is base64 itself also as what it means. */
function formsOf(secret: string | Uint8Array): string[] {
  const bytes = Buffer.from(secret)
  const written = [bytes.toString('base64').replace(/=+$/, ''), bytes.toString('base64url'), bytes.toString('hex')]
  if (typeof secret !== 'string') return written
  const meant = /^[A-Za-z0-9+/]{40,}={0,2}$/.test(secret) ? [Buffer.from(secret, 'base64').toString('hex')] : []
  return [secret, ...written, ...meant]
}
