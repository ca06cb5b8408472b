import fc from 'fast-check'
import { expect, test } from 'vitest'
import { deriveKey, openMessage, type SealedMessage, sealMessage } from './crypto.ts'
import { KEY } from './nexo-terminal.fixture.ts'

const key = deriveKey(KEY)

/** A message that another implementation of the protocol sealed: Adyen's library for Node (32.1.0). */
const FOREIGN: SealedMessage = {
  NexoBlob: 'E+CmWpwU3XtRNRdG8MRjHhu3QjIU9uhb7vLWXgsZaY8=',
  SecurityTrailer: {
    AdyenCryptoVersion: 1,
    KeyIdentifier: 'store-4711',
    KeyVersion: 2,
    Nonce: 'QFMLR47MXdk6HzygDBuAvA==',
    Hmac: '0D6fQbwp7rciQ0cXw4gSEaJEWz2B86v9V69dTwYu5yo=',
  },
}

test('a message sealed by another implementation can be opened, and sealing its text gives the same bytes', () => {
  expect(openMessage(key, FOREIGN)).toBe('{"hello":"café"}')
  const nonce = Buffer.from(FOREIGN.SecurityTrailer.Nonce, 'base64')
  expect(sealMessage(key, '{"hello":"café"}', nonce)).toEqual(FOREIGN)
})

test('sealing the same message twice gives different bytes', () => {
  expect(sealMessage(key, 'the same').NexoBlob).not.toBe(sealMessage(key, 'the same').NexoBlob)
})

test.each([
  ['another passphrase', { ...KEY, passphrase: 'another' }],
  ['another identifier', { ...KEY, identifier: 'store-4712' }],
  ['another version', { ...KEY, version: 3 }],
])('a message sealed with %s is not opened', (_, other) => {
  expect(openMessage(deriveKey(other), FOREIGN)).toBeNull()
})

test('a passphrase outside ASCII is rejected, as lane and card terminal would derive different keys from it', () => {
  for (const passphrase of ['clé du magasin', 'pass\u00a0phrase', '密码'])
    expect(() => deriveKey({ ...KEY, passphrase })).toThrow('ASCII')
})

test('opening a sealed text returns the same text', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), (text) => {
      expect(openMessage(key, sealMessage(key, text))).toBe(text)
    }),
  )
})

test('a message whose ciphertext, nonce or HMAC has a changed bit is not opened', () => {
  const part = fc.constantFrom('NexoBlob', 'Nonce', 'Hmac')
  fc.assert(
    fc.property(fc.string({ minLength: 1 }), part, fc.nat(), fc.integer({ min: 0, max: 7 }), (text, name, at, bit) => {
      const sealed = sealMessage(key, text)
      const flip = (base64: string): string => {
        const bytes = Buffer.from(base64, 'base64')
        const index = at % bytes.length
        bytes[index] = (bytes[index] ?? 0) ^ (1 << bit)
        return bytes.toString('base64')
      }
      const trailer = sealed.SecurityTrailer
      const changed: SealedMessage =
        name === 'NexoBlob'
          ? { ...sealed, NexoBlob: flip(sealed.NexoBlob) }
          : { ...sealed, SecurityTrailer: { ...trailer, [name]: flip(trailer[name]) } }
      expect(openMessage(key, changed)).toBeNull()
    }),
  )
})

test('opening a message with arbitrary field values fails without an exception', () => {
  const bytes = fc.uint8Array({ maxLength: 80 }).map((some) => Buffer.from(some).toString('base64'))
  fc.assert(
    fc.property(bytes, bytes, bytes, (NexoBlob, Nonce, Hmac) => {
      const trailer = { ...FOREIGN.SecurityTrailer, Nonce, Hmac }
      expect(openMessage(key, { NexoBlob, SecurityTrailer: trailer })).toBeNull()
    }),
  )
})
