import { unzipSync, zipSync } from 'fflate'
import { expect, test } from 'vitest'
import { PROFILE_SCHEMA } from '../../contracts/core/profile-schema.ts'
import { packBundle, readBundle } from './bundle.ts'
import { BundleManifest } from './manifest.ts'
import { seal, TRAILER_BYTES } from './signed.ts'
import { newSigner, bundleContent } from './testing/bundle-content.ts'

const signer = newSigner()
const trusted = { keys: [signer.publicKey], revoked: [] }
function resigned(change: (entries: Record<string, Uint8Array>) => void): Buffer {
  const packed = packBundle(bundleContent(), signer)
  const entries = unzipSync(packed.subarray(0, -TRAILER_BYTES))
  change(entries)
  return seal('store bundle', zipSync(entries), signer)
}

test('the same input gives a bundle with the same bytes, and other content gives another id', () => {
  const packed = packBundle(bundleContent(), signer)
  expect(packBundle(bundleContent(), signer)).toEqual(packed)
  const read = readBundle(packed, trusted)
  const other = readBundle(packBundle(bundleContent({ sequence: 2 }), signer), trusted)
  if (!('bundle' in read) || !('bundle' in other)) throw new Error('a bundle must be read')
  expect(read.bundle.id).not.toBe(other.bundle.id)
  expect(read.bundle.manifest).toMatchObject({ store: { id: '1001' }, sequence: 1 })
  expect([...read.bundle.files.keys()]).toEqual(['catalog.csv', 'profile.yaml'])
  expect(Buffer.from(read.bundle.files.get('profile.yaml') ?? []).toString()).toBe('mode: training\n')
})

test('a bundle is rejected if one byte is changed (tested for a thousand bytes)', () => {
  const packed = packBundle(bundleContent({}, `mode: training\n${'x'.repeat(5_000)}`), signer)
  for (let change = 0; change < 1_000; change += 1) {
    const at = Math.floor((change * packed.byteLength) / 1_000)
    const changed = Buffer.from(packed)
    changed[at] = (changed[at] ?? 0) ^ (1 + (change % 255))
    expect(readBundle(changed, trusted), `byte ${at}`).toHaveProperty('refusal')
  }
})

test('a bundle with inconsistent content is rejected as damaged even if a trusted key signed it', () => {
  const cases: [string, (entries: Record<string, Uint8Array>) => void][] = [
    ['a file outside the manifest', (entries) => (entries['files/more.txt'] = Buffer.from('x'))],
    ['a file that is missing', (entries) => delete entries['files/catalog.csv']],
    ['a file of another content', (entries) => (entries['files/catalog.csv'] = Buffer.from('sku,barcode\n1,3\n'))],
    ['no manifest', (entries) => delete entries['manifest.json']],
    ['an additional entry', (entries) => (entries['run.sh'] = Buffer.from('x'))],
    ['an invalid manifest', (entries) => (entries['manifest.json'] = Buffer.from('{"profileSchema":1}'))],
  ]
  for (const [what, change] of cases)
    expect(readBundle(resigned(change), trusted), what).toEqual({ refusal: 'damaged' })
  expect(readBundle(seal('store bundle', Buffer.from('no archive'), signer), trusted)).toEqual({ refusal: 'damaged' })
})

test('a bundle with two files of the same name is rejected', () => {
  for (const hidden of ['files/../../evil', 'files/more.txt']) {
    const sealed = resigned((entries) => {
      const manifest = BundleManifest.parse(JSON.parse(Buffer.from(entries['manifest.json'] ?? []).toString('utf8')))
      const files = [...manifest.files, ...manifest.files.slice(0, 1)]
      entries['manifest.json'] = Buffer.from(JSON.stringify({ ...manifest, files }))
      entries[hidden] = Buffer.from('x')
    })
    expect(readBundle(sealed, trusted), hidden).toEqual({ refusal: 'damaged' })
  }
})

test.each([
  ['Catalog.csv', 'a name that differs by case alone'],
  ['catalog.csv/more', 'a file below a file'],
])('no bundle is created with %s next to catalog.csv (%s): some file systems cannot store both', (name) => {
  const { manifest, files } = bundleContent()
  expect(() => packBundle({ manifest, files: new Map([...files, [name, Buffer.from('x')]]) }, signer)).toThrow('files')
})

test.each([
  'nul',
  'CON.csv',
  'a/lpt1.txt',
  'profile.yaml.',
  'a ',
  'a./b',
  '../profile.yaml',
  '/etc/passwd',
  'a/../../b',
  'a\\b',
  '.hidden',
  'C:x',
  'a//b',
])('no bundle is created with the unsafe file name %s', (name) => {
  const { manifest, files } = bundleContent()
  expect(() => packBundle({ manifest, files: new Map([...files, [name, Buffer.from('x')]]) }, signer)).toThrow('path')
})

test('a bundle for a newer program is refused as newer even if its other content is invalid', () => {
  const packed = packBundle(bundleContent({ profileSchema: PROFILE_SCHEMA + 1 }), signer)
  expect(readBundle(packed, trusted)).toEqual({ refusal: 'schema-newer' })
  const unknown = resigned((entries) => {
    entries['manifest.json'] = Buffer.from(JSON.stringify({ format: 9, profileSchema: PROFILE_SCHEMA + 1 }))
  })
  expect(readBundle(unknown, trusted)).toEqual({ refusal: 'schema-newer' })
})

test('a bundle can contain three hundred lists of trusted keys', () => {
  const trust = Array.from({ length: 300 }, (_, number) => Buffer.from(`list ${number}`))
  const read = readBundle(packBundle({ ...bundleContent(), trust }, signer), trusted)
  if (!('bundle' in read)) throw new Error(read.refusal)
  expect(read.bundle.trust.map((list) => Buffer.from(list).toString())).toEqual(trust.map(String))
})
