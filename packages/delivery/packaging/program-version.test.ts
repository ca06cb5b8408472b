import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { newSigner } from '../testing/bundle-content.ts'
import { BUILT_FROM } from '../../../scripts/build-app.ts'
import { sourceHash } from '../../../scripts/source-hash.ts'
import { PLATFORMS } from './program-files.ts'
import { makeProgram } from './programs.ts'

function checkout(): string {
  const root = mkdtempSync(path.join(tmpdir(), 'milepost-version-'))
  onTestFinished(() => rmSync(root, { recursive: true, force: true }))
  for (const place of BUILT_FROM)
    if (/\.\w+$/.test(place)) {
      mkdirSync(path.dirname(path.join(root, place)), { recursive: true })
      writeFileSync(path.join(root, place), '{"version":"0.1.0"}')
    } else mkdirSync(path.join(root, place), { recursive: true })
  return root
}

test('a new version in package.json makes the built programs outdated', () => {
  const root = checkout()
  const before = sourceHash(root, BUILT_FROM)
  writeFileSync(path.join(root, 'package.json'), '{"version":"0.2.0"}')
  expect(sourceHash(root, BUILT_FROM)).not.toBe(before)
})

test('a manifest of one version is not signed for a program of another version', async () => {
  const root = checkout()
  writeFileSync(path.join(root, 'package.json'), '{"version":"0.2.0"}')
  mkdirSync(path.join(root, 'build', 'app'), { recursive: true })
  writeFileSync(path.join(root, 'build', 'app', 'package.json'), '{"version":"0.1.0"}')
  const options = { root, electronDist: null, signer: newSigner(), releasedAt: new Date(), log: () => {} }
  await expect(makeProgram(PLATFORMS['linux-x64-browser'], 'production', options)).rejects.toThrow(
    'build/app have version 0.1.0, but package.json has 0.2.0',
  )
})
