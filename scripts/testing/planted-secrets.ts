import { createHash } from 'node:crypto'
import { inflateRawSync } from 'node:zlib'

/**
 * Secrets that tests plant, and a search for them in outputs that must not contain them: a support file, a package, a
 * bundle, a manifest. The secrets are derived from a seed, and are no person’s data.
 */
export const SECRET_KINDS = ['pin', 'collector', 'card', 'token', 'key', 'name'] as const
export type SecretKind = (typeof SECRET_KINDS)[number]

export interface PlantedSecret {
  readonly kind: SecretKind
  readonly value: string
}

export interface FoundSecret extends PlantedSecret {
  /**
   * The encoding in which a secret was found: `raw`, `base64`, `hex`, `utf16`, …, after the names of enclosing
   * compressions.
   */
  readonly as: string
  readonly offset: number
}

const bytesOf = (seed: string, index: number, length: number): Buffer =>
  Buffer.concat(
    Array.from({ length: Math.ceil(length / 32) }, (_, block) =>
      createHash('sha256').update(`${seed} ${index} ${block}`).digest(),
    ),
  ).subarray(0, length)

const digitsOf = (bytes: Buffer): string => [...bytes].map((byte) => byte % 10).join('')

/** Appends the check digit that payment cards have (ISO/IEC 7812-1, Luhn). */
function withCheckDigit(digits: string): string {
  const sum = [...digits].toReversed().reduce((total, digit, index) => {
    const value = Number(digit) * (index % 2 === 0 ? 2 : 1)
    return total + (value > 9 ? value - 9 : value)
  }, 0)
  return `${digits}${(10 - (sum % 10)) % 10}`
}

const SYLLABLES = [
  'bra',
  'quel',
  'vor',
  'tin',
  'mou',
  'zé',
  'lan',
  'dric',
  'pheu',
  'gor',
  'wyn',
  'ços',
  'rux',
  'bel',
  'ïs',
]
const nameOf = (bytes: Buffer): string => {
  const word = [...bytes].map((byte) => SYLLABLES[byte % SYLLABLES.length]).join('')
  return word[0]?.toUpperCase() + word.slice(1)
}

/** Makes a PIN that is no year and no round number, because these occur by chance. */
function pinOf(bytes: Buffer, length: number): string {
  const digits = digitsOf(bytes.subarray(0, length - 1))
  return `${String(3 + (Number(digits[0]) % 7))}${digits.slice(1)}${1 + ((bytes[length] ?? 0) % 9)}`
}

/**
 * Makes secrets to plant. `pinDigits`: the lengths of PINs; PINs of fewer than eight digits occur by chance in large
 * files.
 */
export function plantSecrets(count: number, seed: string, pinDigits: readonly number[] = [8]): PlantedSecret[] {
  const made = new Map<string, PlantedSecret>()
  for (let index = 0; made.size < count; index += 1) {
    const kind = SECRET_KINDS[index % SECRET_KINDS.length] ?? 'key'
    const digits = pinDigits[Math.floor(index / SECRET_KINDS.length) % pinDigits.length] ?? 8
    const value = valueOf(kind, bytesOf(seed, index, 64), digits)
    made.set(value, { kind, value })
  }
  return [...made.values()]
}

function valueOf(kind: SecretKind, bytes: Buffer, pinDigits: number): string {
  switch (kind) {
    case 'pin':
      return pinOf(bytes, pinDigits)
    case 'collector':
      return `8${digitsOf(bytes.subarray(0, 10))}`
    case 'card':
      return withCheckDigit(`4${digitsOf(bytes.subarray(0, 14))}`)
    case 'token':
      return `eyJ${bytes.subarray(0, 24).toString('base64url')}.${bytes.subarray(24, 48).toString('base64url')}`
    case 'key':
      return bytes.subarray(0, 32).toString('base64')
    case 'name':
      return `${nameOf(bytes.subarray(0, 3))} ${nameOf(bytes.subarray(3, 7))}`
  }
}

interface Needle {
  readonly secret: PlantedSecret
  readonly as: string
  readonly bytes: Buffer
  readonly alone: boolean
}

/**
 * Length in bytes of the index keys, which are the first bytes of a secret: comparing them excludes nearly all offsets.
 */
const HEAD = 4
/**
 * Minimum length in bytes of a secret whose encodings are searched for too, because encodings of shorter values occur
 * by chance.
 */
const SHORTEST_ENCODED = 6

const grouped = (digits: string, by: string): string => (digits.match(/\d{1,4}/g) ?? []).join(by)

const base64Of = (bytes: Buffer): string[] =>
  [0, 1, 2].map((before) => {
    const text = Buffer.concat([Buffer.alloc(before), bytes]).toString('base64')
    return text.slice(Math.ceil((before * 8) / 6), Math.floor(((before + bytes.length) * 8) / 6))
  })

function needlesOf(secret: PlantedSecret): Needle[] {
  const { kind, value } = secret
  const bytes = Buffer.from(value)
  const utf16 = Buffer.from(value, 'utf16le')
  const alone = kind === 'pin'
  const texts: (readonly [as: string, text: string])[] = [['raw', value]]
  if (kind === 'card' || kind === 'collector')
    texts.push(['grouped', grouped(value, ' ')], ['grouped', grouped(value, '-')])
  if (kind === 'name') texts.push(['uri', encodeURIComponent(value)], ['escaped', escaped(value)])
  if (bytes.length >= SHORTEST_ENCODED) {
    for (const text of base64Of(bytes)) {
      texts.push(['base64', text], ['base64url', text.replaceAll('+', '-').replaceAll('/', '_')])
    }
    texts.push(['hex', bytes.toString('hex')], ['hex', bytes.toString('hex').toUpperCase()])
  }
  // If several encodings give the same text, the name of the first is used.
  const unique = new Map(texts.toReversed().map(([as, text]) => [text, as]))
  return [
    ...[...unique].map(([text, as]) => ({ secret, as, bytes: Buffer.from(text), alone: alone && as === 'raw' })),
    { secret, as: 'utf16', bytes: utf16, alone: false },
    { secret, as: 'utf16', bytes: Buffer.from(utf16).swap16(), alone: false },
  ]
}

const escaped = (text: string): string =>
  text.replaceAll(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)

const isTokenByte = (byte: number | undefined): boolean =>
  byte !== undefined && /[\w.-]/.test(String.fromCharCode(byte))

const DEEPEST = 3
const GZIP = Buffer.from([0x1f, 0x8b, 0x08])
const ZIP = Buffer.from('PK\x03\x04')
const GZIP_HEADER = 10
const ZIP_HEADER = 30

function* unpacked(bytes: Buffer): Generator<readonly [as: string, content: Buffer]> {
  for (const [as, mark] of [['gzip', GZIP] as const, ['zip', ZIP] as const]) {
    for (let at = bytes.indexOf(mark); at >= 0; at = bytes.indexOf(mark, at + 1)) {
      const content = opened(as, bytes.subarray(at))
      if (content) yield [as, content]
    }
  }
}

/** Returns the offset of the compressed bytes: for gzip RFC 1952 §2.3, for zip APPNOTE 4.3.7. */
function startOf(as: 'gzip' | 'zip', bytes: Buffer): number {
  if (as === 'zip') return ZIP_HEADER + bytes.readUInt16LE(26) + bytes.readUInt16LE(28)
  const flags = bytes.readUInt8(3)
  let at = GZIP_HEADER
  if (flags & 0x04) at += 2 + bytes.readUInt16LE(at)
  for (const named of [0x08, 0x10]) if (flags & named) at = bytes.indexOf(0, at) + 1
  return flags & 0x02 ? at + 2 : at
}

/** Decompresses with raw inflate, which ignores bytes after the compressed ones, unlike gunzip. */
function opened(as: 'gzip' | 'zip', bytes: Buffer): Buffer | null {
  try {
    return inflateRawSync(bytes.subarray(startOf(as, bytes)))
  } catch {
    return null
  }
}

export type FindSecrets = (bytes: Uint8Array) => FoundSecret[]

/**
 * Returns a function that finds these secrets in one pass: in plain text, grouped, in base64, hex, UTF-16 and escapes,
 * and in compressed contents.
 */
export function secretFinder(secrets: readonly PlantedSecret[]): FindSecrets {
  const byHead = Map.groupBy(
    secrets.flatMap(needlesOf).filter(({ bytes }) => bytes.length >= HEAD),
    ({ bytes }) => bytes.readUInt32LE(0),
  )

  function* within(bytes: Buffer, path: string, depth: number): Generator<FoundSecret> {
    for (let offset = 0; offset + HEAD <= bytes.length; offset += 1) {
      for (const needle of byHead.get(bytes.readUInt32LE(offset)) ?? []) {
        const end = offset + needle.bytes.length
        if (!needle.bytes.equals(bytes.subarray(offset, end))) continue
        if (needle.alone && (isTokenByte(bytes[offset - 1]) || isTokenByte(bytes[end]))) continue
        yield { ...needle.secret, as: `${path}${needle.as}`, offset }
      }
    }
    if (depth === DEEPEST) return
    for (const [as, content] of unpacked(bytes)) yield* within(content, `${path}${as} `, depth + 1)
  }

  return (bytes) => [...within(Buffer.from(bytes), '', 0)]
}
