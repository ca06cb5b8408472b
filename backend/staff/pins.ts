import { createHmac, randomBytes, scrypt, timingSafeEqual } from 'node:crypto'

/**
 * Cost of guessing a PIN: scrypt's parameters. Each verifier contains them, so that they can be raised and old
 * verifiers stay valid. See docs/decisions/0018-pins-sessions-and-windows.md.
 */
export interface PinCost {
  readonly N: number
  readonly r: number
  readonly p: number
}

/**
 * 64 MB and about 170 ms per guess on two cores of a small machine. That alone cannot protect a four-digit PIN: a
 * copied database is protected by the key, which it does not contain, and the terminal by the limit of attempts.
 */
export const PRODUCTION_COST: PinCost = { N: 2 ** 16, r: 8, p: 1 }
/** The PINs of a training profile are public, so slow verifiers would protect nothing. */
export const TRAINING_COST: PinCost = { N: 2 ** 10, r: 8, p: 1 }
const KEY_BYTES = 32

/**
 * Key of the PIN verifiers, derived from the lane's sealing key, which is in the key store or in a file of its owner,
 * and never in the database.
 */
export const pinKeyOf = (masterKey: Uint8Array): Buffer =>
  createHmac('sha256', masterKey).update('milepost pin verifiers').digest()

export type Pins = ReturnType<typeof createPins>

export function createPins({ key, cost = PRODUCTION_COST }: { readonly key: Uint8Array; readonly cost?: PinCost }) {
  const keyed = (pin: string): Buffer => createHmac('sha256', key).update(pin).digest()
  const current = ['keyed', cost.N, cost.r, cost.p].join('$') + '$'
  return {
    /**
     * Computes the verifier of a PIN: `keyed$N$r$p$salt$hash`, with salt and hash in base64url. It is useless without
     * the key.
     */
    async hash(pin: string): Promise<string> {
      const salt = randomBytes(16)
      const hash = await derive(keyed(pin), salt, cost)
      return current + [salt, hash].map((bytes) => bytes.toString('base64url')).join('$')
    },
    /**
     * Whether a PIN matches a verifier. For a missing or damaged verifier it returns false after the same work, so that
     * the duration reveals nothing.
     */
    async verify(pin: string, stored: string | null): Promise<boolean> {
      const match = /^keyed\$(\d{1,7})\$(\d{1,2})\$(\d{1,2})\$([\w-]+)\$([\w-]+)$/.exec(stored ?? '')
      if (!match) {
        await derive(keyed(pin), Buffer.alloc(16), cost)
        return false
      }
      const [, N, r, p, salt, hash] = match
      const expected = Buffer.from(hash ?? '', 'base64url')
      const actual = await derive(keyed(pin), Buffer.from(salt ?? '', 'base64url'), {
        N: Number(N),
        r: Number(r),
        p: Number(p),
      })
      return expected.length === actual.length && timingSafeEqual(expected, actual)
    },
    /** Whether the verifier's cost is not the current one. Such a verifier is replaced at the next right PIN. */
    isOutdated: (stored: string): boolean => !stored.startsWith(current),
  }
}

const derive = (secret: Buffer, salt: Buffer, cost: PinCost): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    scrypt(secret, salt, KEY_BYTES, { ...cost, maxmem: 256 * cost.N * cost.r }, (error, key) => {
      if (error) reject(error)
      else resolve(key)
    })
  })
