import { randomBytes } from 'node:crypto'
import { deflateRawSync, gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { plantSecrets, SECRET_KINDS, secretFinder, type PlantedSecret } from './planted-secrets.ts'

const secrets = plantSecrets(600, 'a test', [4, 6, 8])
const find = secretFinder(secrets)
const of = (kind: PlantedSecret['kind']): PlantedSecret => {
  const found = secrets.find((secret) => secret.kind === kind && secret.value.length >= 6)
  if (!found) throw new Error(`no ${kind} was planted`)
  return found
}
const foundAs = (bytes: Uint8Array, { value }: PlantedSecret): string[] => [
  ...new Set(find(bytes).flatMap((found) => (found.value === value ? [found.as] : []))),
]

test('planting makes the requested number of secrets, of each kind, and the same ones for the same seed', () => {
  expect(new Set(secrets.map(({ value }) => value)).size).toBe(600)
  expect(new Set(secrets.map(({ kind }) => kind))).toEqual(new Set(SECRET_KINDS))
  expect(plantSecrets(600, 'a test', [4, 6, 8])).toEqual(secrets)
  expect(plantSecrets(6, 'another')).not.toEqual(secrets.slice(0, 6))
})

describe.each(SECRET_KINDS)('the search for a planted secret of the kind %s', (kind) => {
  const secret = of(kind)
  const bytes = Buffer.from(secret.value)
  const around = (content: Uint8Array | string): Buffer =>
    Buffer.concat([Buffer.from('before "'), Buffer.from(content), Buffer.from('" behind')])

  test('finds the secret in plain text', () => {
    expect(foundAs(around(bytes), secret)).toContain('raw')
  })
  test.each([0, 1, 2, 3])('finds the secret in base64 after %i bytes', (before) => {
    const text = Buffer.concat([Buffer.alloc(before, 7), bytes, Buffer.from('!?')]).toString('base64')
    expect(foundAs(around(text), secret)).toContain('base64')
  })
  test('finds the secret in hex', () => {
    expect(foundAs(around(bytes.toString('hex')), secret)).toContain('hex')
    expect(foundAs(around(bytes.toString('hex').toUpperCase()), secret)).toContain('hex')
  })
  test('finds the secret in UTF-16', () => {
    const text = Buffer.from(` ${secret.value} `, 'utf16le')
    expect(foundAs(text, secret)).toContain('utf16')
    expect(foundAs(text.swap16(), secret)).toContain('utf16')
  })
  test('finds the secret in gzip, nested gzip and zip', () => {
    const packed = around(gzipSync(around(bytes)))
    expect(foundAs(packed, secret)).toEqual(['gzip raw'])
    expect(foundAs(gzipSync(packed), secret)).toEqual(['gzip gzip raw'])
    const header = Buffer.alloc(30)
    header.write('PK\x03\x04', 'latin1')
    expect(foundAs(Buffer.concat([header, deflateRawSync(around(bytes))]), secret)).toEqual(['zip raw'])
  })
})

test('the search finds card numbers in groups of digits, and escaped names', () => {
  const card = of('card')
  expect(foundAs(Buffer.from(card.value.replaceAll(/(\d{4})(?=\d)/g, '$1 ')), card)).toEqual(['grouped'])
  const name = secrets.find(({ kind, value }) => kind === 'name' && /[éçï]/.test(value)) ?? of('name')
  expect(foundAs(Buffer.from(encodeURIComponent(name.value)), name)).toEqual(['uri'])
})

test('the search finds a PIN only by itself, not inside a longer number or an id', () => {
  const pin = secrets.find(({ kind, value }) => kind === 'pin' && value.length === 4) ?? of('pin')
  expect(foundAs(Buffer.from(`"pin": ${pin.value}}`), pin)).toEqual(['raw'])
  expect(foundAs(Buffer.from(`9${pin.value}`), pin)).toEqual([])
  expect(foundAs(Buffer.from(`0a1b-${pin.value}-8c2d`), pin)).toEqual([])
})

test('the search finds nothing in bytes without secrets', () => {
  const strange = secretFinder(plantSecrets(3_000, 'another test'))
  expect(strange(Buffer.from(secrets.map(({ value }) => value).join('\n')))).toEqual([])
  expect(strange(randomBytes(2_000_000))).toEqual([])
})
