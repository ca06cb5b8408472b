import { createHmac, timingSafeEqual } from 'node:crypto'
import type { Postgres } from '../db/postgres.ts'
import { readKeyFile } from './key-file.ts'

const FILE = 'proof.key'
const NONCE_MS = 60_000
/** 128 bits: a guess is one call. */
const MAC_BYTES = 16

/**
 * Reads the key of the server alone, which no lane receives: nonces and stream proofs are made with it. Servers of one
 * database share it. `postgres` null: a server without one, whose nonces are its own. Throws an Error in plain words.
 */
export const readProofKey = (folder: string, postgres: Postgres | null): Promise<Buffer> =>
  readKeyFile(folder, postgres, {
    file: FILE,
    table: 'proof_key',
    purpose: 'milepost proof key',
    missing: ['proofKeyMissing', 'proofKeyMissingDo'],
    wrong: ['proofKeyWrong', 'storeKeyDo'],
    ofOther: ['proofKeyOfOther', 'storeKeyDo'],
  })

const macOf = (key: Uint8Array, parts: readonly (string | number)[]): string =>
  createHmac('sha256', key).update(JSON.stringify(parts)).digest().subarray(0, MAC_BYTES).toString('base64url')

function isSame(one: string, other: string): boolean {
  const [left, right] = [Buffer.from(one), Buffer.from(other)]
  return left.byteLength === right.byteLength && timingSafeEqual(left, right)
}

/** Nonces of one key, without a state: each is a MAC over the minute and the token of its lane. */
export function createNonces(key: Uint8Array) {
  const minuteOf = (now: number): number => Math.floor(now / NONCE_MS)
  const of = (minute: number, token: string): string => macOf(key, ['nonce', minute, token])
  return {
    next: (token: string, now: number): string => of(minuteOf(now), token),
    /**
     * The minute of a nonce that is still good; null for any other. Servers of one database may be a minute apart.
     */
    minuteOf(nonce: string, token: string, now: number): number | null {
      const minute = minuteOf(now)
      return [minute, minute - 1, minute + 1].find((one) => isSame(of(one, token), nonce)) ?? null
    },
    isOver: (minute: number, now: number): boolean => minute < minuteOf(now) - 1,
  }
}
export type Nonces = ReturnType<typeof createNonces>

/** Shows that this server’s database had a stream up to a number: also to a database that was restored since. */
export function createStreamProofs(key: Uint8Array) {
  const of = (store: string, stream: string, seq: number): string => macOf(key, ['stream', store, stream, seq])
  return {
    of,
    isProof: (proof: string, store: string, stream: string, seq: number): boolean =>
      isSame(of(store, stream, seq), proof),
  }
}
export type StreamProofs = ReturnType<typeof createStreamProofs>
