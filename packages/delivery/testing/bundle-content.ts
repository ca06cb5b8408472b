import { makeKey, signerOf, type Signer } from '../keys.ts'
import type { BundleContent } from '../bundle.ts'
import type { TrustList } from '../trust.ts'

export const newSigner = (): Signer => signerOf(makeKey(null).pem, null)

export const listOf = (version: number, keys: readonly Signer[], revoked: readonly Signer[] = []): TrustList => ({
  format: 1,
  version,
  keys: keys.map(({ publicKey }, index) => ({ ...publicKey, name: `key ${index + 1}` })),
  revoked: revoked.map(({ publicKey }) => ({ ...publicKey, name: 'old', reason: 'lost' })),
})

export const bundleContent = (
  change: Partial<BundleContent['manifest']> = {},
  profile = 'mode: training\n',
): BundleContent => ({
  manifest: {
    store: { id: '1001', name: 'Northstar Markets' },
    mode: 'training',
    lanes: ['01', '02'],
    profileSchema: 1,
    sequence: 1,
    madeAt: '2026-11-25T12:00:00Z',
    activeFrom: null,
    expiresAt: null,
    ...change,
  },
  files: new Map([
    ['profile.yaml', Buffer.from(profile)],
    ['catalog.csv', Buffer.from('sku,barcode\n1,2\n')],
  ]),
})
