import { expect, test } from 'vitest'
import { seal } from '../signed.ts'
import { newSigner } from '../testing/bundle-content.ts'
import { channelOf, program, signedFiles, release, updateManifest } from '../testing/updates.ts'
import { Channel, openChannel, openManifest, sealManifest, UpdateManifest } from './formats.ts'

const signer = newSigner()
const trusted = { keys: [signer.publicKey], revoked: [] }
const now = new Date('2026-11-26T12:00:00Z')
const fresh = { seen: 0, now }

test('a signed channel and a signed manifest are read with the content that was signed', () => {
  const { channel, manifest, hash } = signedFiles(signer)
  expect(openChannel(channel, trusted, fresh)).toMatchObject({ channel: { stable: '1.2.0', sequence: 1 } })
  expect(openManifest(manifest, trusted, hash)).toEqual({ manifest: updateManifest() })
})

test('a channel and a manifest are rejected if one byte is changed (tested for a thousand bytes of each)', () => {
  const { channel, manifest, hash } = signedFiles(signer)
  const changed = (file: Buffer, at: number): Buffer => {
    const copy = Buffer.from(file)
    const place = (at * 2_654_435_761) % copy.byteLength
    copy[place] = ((copy[place] ?? 0) + 1 + (at % 255)) % 256
    return copy
  }
  for (let at = 0; at < 1_000; at += 1) {
    expect(openChannel(changed(channel, at), trusted, fresh), `channel ${at}`).toHaveProperty('refusal')
    expect(openManifest(changed(manifest, at), trusted, at % 2 ? hash : null), `manifest ${at}`).toHaveProperty(
      'refusal',
    )
  }
})

test('a lane accepts the same update channel again, but not one with a lower sequence number', () => {
  const { channel } = signedFiles(signer, updateManifest(), { sequence: 7 })
  expect(openChannel(channel, trusted, { seen: 7, now })).toHaveProperty('channel')
  expect(openChannel(channel, trusted, { seen: 8, now })).toEqual({ refusal: 'older' })
})

test('a lane rejects an expired channel', () => {
  const { channel } = signedFiles(signer, updateManifest(), { expiresAt: '2026-11-26T12:00:00Z' })
  expect(openChannel(channel, trusted, fresh)).toEqual({ refusal: 'expired' })
  expect(openChannel(channel, trusted, { seen: 0, now: new Date('2026-11-26T11:59:59Z') })).toHaveProperty('channel')
})

test('an unknown key is distinguished from a revoked one, and a file of another kind is rejected', () => {
  const { channel, manifest, hash } = signedFiles(signer)
  const stranger = { keys: [newSigner().publicKey], revoked: [] }
  const revoked = { keys: [], revoked: [signer.publicKey.id] }
  expect(openChannel(channel, stranger, fresh)).toEqual({ refusal: 'key-unknown' })
  expect(openChannel(channel, revoked, fresh)).toEqual({ refusal: 'key-revoked' })
  expect(openManifest(manifest, stranger, hash)).toEqual({ refusal: 'key-unknown' })
  expect(openManifest(manifest, revoked, hash)).toEqual({ refusal: 'key-revoked' })
  expect(openChannel(manifest, trusted, fresh)).toEqual({ refusal: 'changed' })
  expect(openManifest(channel, trusted, null)).toEqual({ refusal: 'changed' })
  const other = sealManifest(updateManifest({ version: '1.1.0' }), signer)
  expect(openManifest(other, trusted, hash)).toEqual({ refusal: 'other' })
  expect(openManifest(seal('update', Buffer.from('{}'), signer), trusted, null)).toEqual({ refusal: 'damaged' })
})

const withPaths = (...paths: string[]) =>
  updateManifest({
    programs: [
      program({ files: paths.map((path) => ({ path, sha256: 'a'.repeat(64), bytes: 1, executable: false })) }),
    ],
  })

test("a program's manifest has only file paths that every system stores inside the program's folder", () => {
  const good = [
    'node_modules/@fastify/cookie/index.js',
    '.package.json',
    'Milepost Helper (Renderer).app/a',
    'c/[slug]-9%.js',
  ]
  expect(UpdateManifest.safeParse(withPaths(...good)).success).toBe(true)
  const bad = `../a|a/../../b|/etc/passwd|C:/a|C:\\a|a\\b|./a|a/./b|a//b|a/||..|...|a/con|NUL|lpt1.txt|a/aux.js/b|a.|a |
    a|a\0b|a\nb|é.js|PROGRA~1/a|a:b|a?|program.signed|Program.Signed|${'a/'.repeat(120)}b`.split('|')
  for (const path of bad) expect(UpdateManifest.safeParse(withPaths(path)).success, path).toBe(false)
  for (const [one, other] of [
    ['a.js', 'A.js'],
    ['a', 'a/b'],
    ['A/b/c', 'a/B'],
  ] as const)
    expect(UpdateManifest.safeParse(withPaths(one, other)).success, `${one} ${other}`).toBe(false)
})

test("a link in a program's manifest must lead to files of the same program", () => {
  const withLink = (path: string, to: string) => updateManifest({ programs: [program({ links: [{ path, to }] })] })
  expect(UpdateManifest.safeParse(withLink('Current', 'backend')).success).toBe(true)
  for (const [path, to] of [
    ['Current', '../secret'],
    ['Current', '/etc'],
    ['Current', 'missing'],
    ['backend', 'backend/main.js'],
    ['backend/main.js', 'backend'],
  ] as const)
    expect(UpdateManifest.safeParse(withLink(path, to)).success, `${path} to ${to}`).toBe(false)
})

test('a channel is rejected if it lists a version twice or does not list its stable version', () => {
  expect(Channel.safeParse(channelOf([release('1.2.0'), release('1.3.0')])).success).toBe(true)
  expect(Channel.safeParse(channelOf([release('1.2.0'), release('1.2.0')])).success).toBe(false)
  expect(Channel.safeParse(channelOf([release('1.2.0')], { stable: '1.1.0' })).success).toBe(false)
  expect(Channel.safeParse(channelOf([release('1.02.0')])).success).toBe(false)
})
