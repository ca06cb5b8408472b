import type { Signer } from '../keys.ts'
import {
  sealChannel,
  sealManifest,
  sha256,
  type Channel,
  type Program,
  type Release,
  type UpdateManifest,
} from '../updates/formats.ts'

const FILE = { path: 'backend/main.js', sha256: sha256(Buffer.from('a program')), bytes: 9, executable: false }
export const program = (change: Partial<Program> = {}): Program => ({
  platform: 'linux-x64-browser',
  files: [FILE],
  ...change,
})

export const updateManifest = (change: Partial<UpdateManifest> = {}): UpdateManifest => ({
  format: 1,
  kind: 'program update',
  version: '1.2.0',
  releasedAt: '2026-11-25T12:00:00Z',
  // The newest database schema that the program can open: higher than any real schema.
  schema: 1_000,
  readsBack: 1,
  notes: { 'en-CA': 'Faster search.', 'fr-CA': 'Recherche plus rapide.' },
  programs: [program()],
  ...change,
})

export const release = (version: string, change: Partial<Release> = {}): Release => ({
  version,
  manifest: sha256(Buffer.from(version)),
  wavePercent: 100,
  halted: false,
  ...change,
})

export const channelOf = (releases: readonly Release[], change: Partial<Channel> = {}): Channel => ({
  format: 1,
  kind: 'update channel',
  sequence: 1,
  madeAt: '2026-11-25T12:00:00Z',
  expiresAt: '2026-12-25T12:00:00Z',
  stable: releases[0]?.version ?? '',
  releases: [...releases],
  ...change,
})

export function signedFiles(
  signer: Signer,
  manifest = updateManifest(),
  change: Partial<Channel> = {},
): { readonly channel: Buffer; readonly manifest: Buffer; readonly hash: string } {
  const sealed = sealManifest(manifest, signer)
  const hash = sha256(sealed)
  return {
    channel: sealChannel(channelOf([release(manifest.version, { manifest: hash })], change), signer),
    manifest: sealed,
    hash,
  }
}
