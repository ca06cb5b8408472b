import { expect, test } from 'vitest'
import { isSignedBy, makeKey, signerOf } from './keys.ts'
import { open, seal } from './signed.ts'
import { newSigner } from './testing/bundle-content.ts'

const signer = newSigner()
const trusted = { keys: [signer.publicKey], revoked: [] }
const BYTES = Buffer.from('what a lane sells by')

test('a signed file opens to the signed bytes, and only for the purpose that it was signed for', () => {
  const file = seal('store bundle', BYTES, signer)
  expect(open('store bundle', file, trusted)).toEqual({ bytes: BYTES, keyId: signer.publicKey.id })
  expect(open('update', file, trusted)).toEqual({ distrust: 'changed' })
})

test('every changed bit of a signed file is detected', () => {
  const file = seal('store bundle', BYTES, signer)
  for (let bit = 0; bit < file.byteLength * 8; bit += 1) {
    const changed = Buffer.from(file)
    changed[bit >> 3] = (changed[bit >> 3] ?? 0) ^ (1 << (bit & 7))
    expect(open('store bundle', changed, trusted), `bit ${bit}`).toHaveProperty('distrust')
  }
})

test('a signed file that is shorter, longer, empty or unsigned is rejected', () => {
  const file = seal('store bundle', BYTES, signer)
  expect(open('store bundle', file.subarray(1), trusted)).toEqual({ distrust: 'changed' })
  expect(open('store bundle', file.subarray(0, -1), trusted)).toEqual({ distrust: 'unsigned' })
  expect(open('store bundle', Buffer.concat([file, Buffer.from([0])]), trusted)).toEqual({ distrust: 'unsigned' })
  expect(open('store bundle', Buffer.alloc(0), trusted)).toEqual({ distrust: 'unsigned' })
  expect(open('store bundle', BYTES, trusted)).toEqual({ distrust: 'unsigned' })
})

test('a file signed by an unknown key is distinguished from one signed by a revoked key', () => {
  const stranger = newSigner()
  const file = seal('store bundle', BYTES, stranger)
  expect(open('store bundle', file, trusted)).toEqual({ distrust: 'key-unknown' })
  expect(open('store bundle', file, { ...trusted, revoked: [stranger.publicKey.id] })).toEqual({
    distrust: 'key-revoked',
  })
})

test('a signature is not accepted with a public key that has the id of another key', () => {
  const stranger = newSigner()
  const signature = stranger.sign('update', BYTES)
  expect(isSignedBy(stranger.publicKey, 'update', BYTES, signature)).toBe(true)
  expect(isSignedBy({ ...stranger.publicKey, id: signer.publicKey.id }, 'update', BYTES, signature)).toBe(false)
  expect(isSignedBy({ ...signer.publicKey, spki: 'AAAA' }, 'update', BYTES, signature)).toBe(false)
})

test('a private key can be opened only with its passphrase', () => {
  const { pem, publicKey } = makeKey('correct horse')
  expect(pem).toContain('ENCRYPTED')
  expect(signerOf(pem, 'correct horse').publicKey).toEqual(publicKey)
  expect(() => signerOf(pem, 'battery staple')).toThrow('bad decrypt')
  expect(() => signerOf(pem, null)).toThrow('interrupted or cancelled')
})
