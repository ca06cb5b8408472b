import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto'

/**
 * PINs are kept as scrypt hashes that carry their own cost, so that it can be raised later without breaking old ones.
 * 16 MB and some tens of milliseconds a guess: a four-digit PIN cannot be made strong, but a stolen database is made slow,
 * and at the terminal the lockout is what protects it.
 */
const COST: Cost = { N: 2 ** 14, r: 8, p: 1 }
interface Cost { readonly N: number; readonly r: number; readonly p: number }
const KEY_BYTES = 32

/** `scrypt$N$r$p$salt$hash`, salt and hash in base64url. */
export async function hashPin(pin: string, cost = COST): Promise<string> {
  const salt = randomBytes(16)
  const hash = await derive(pin, salt, cost)
  return ['scrypt', cost.N, cost.r, cost.p, salt.toString('base64url'), hash.toString('base64url')].join('$')
}

/** False also for a hash that is missing or damaged, after the same work, so that the time tells nothing. */
export async function verifyPin(pin: string, stored: string | null): Promise<boolean> {
  const match = /^scrypt\$(\d{1,7})\$(\d{1,2})\$(\d{1,2})\$([\w-]+)\$([\w-]+)$/.exec(stored ?? '')
  if (!match) {
    await derive(pin, Buffer.alloc(16), COST)
    return false
  }
  const [, N, r, p, salt, hash] = match
  const expected = Buffer.from(hash ?? '', 'base64url')
  const actual = await derive(pin, Buffer.from(salt ?? '', 'base64url'), { N: Number(N), r: Number(r), p: Number(p) })
  return expected.length === actual.length && timingSafeEqual(expected, actual)
}

const derive = (pin: string, salt: Buffer, cost: Cost): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    scrypt(pin, salt, KEY_BYTES, { ...cost, maxmem: 256 * cost.N * cost.r }, (error, key) => { if (error) reject(error); else resolve(key) })
  })
