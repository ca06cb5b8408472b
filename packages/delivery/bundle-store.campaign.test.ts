import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as pause } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { packBundle } from './bundle.ts'
import { openBundleStore } from './bundle-store.ts'
import { listOf, newSigner, bundleContent } from './testing/bundle-content.ts'
import { sealTrust } from './trust.ts'

const KILLS = process.env['MILEPOST_CAMPAIGN'] === '1' ? 500 : 100
const MAX_MS = 60

test(`a lane killed ${KILLS} times while bundles are stored and undone has a complete active bundle`, async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'milepost-'))
  onTestFinished(() => {
    rmSync(folder, { recursive: true, force: true })
  })
  const signer = newSigner()
  const trust = listOf(1, [signer])
  const trustFile = path.join(folder, 'trust.keys')
  writeFileSync(trustFile, sealTrust(trust, signer))
  const made = new Map<string, string>()
  const bundle = (sequence: number): string => {
    const profile = `number ${sequence}\n${'x'.repeat(20_000)}`
    const file = path.join(folder, `${sequence}.bundle`)
    writeFileSync(file, packBundle(bundleContent({ sequence }, profile), signer))
    made.set(profile, file)
    return file
  }
  const data = path.join(folder, 'data')
  const lane = { store: '1001', lane: '01', mode: 'training' } as const
  openBundleStore(data, trust).put(bundle(1), lane, new Date())
  openBundleStore(data, trust).atStart(new Date())
  let newest = 1
  for (let kill = 0; kill < KILLS; kill += 1) {
    const bundles = [bundle(newest + 1), bundle(newest + 2)]
    newest += 2
    const child = spawn(
      process.execPath,
      [path.join(import.meta.dirname, 'testing', 'busy-lane.ts'), data, trustFile, ...bundles],
      { stdio: ['ignore', 'pipe', 'inherit'] },
    )
    const [line] = await once(createInterface({ input: child.stdout }), 'line')
    expect(line).toBe('ready')
    await pause(Math.random() * MAX_MS)
    child.kill('SIGKILL')
    await once(child, 'exit')
    const active = openBundleStore(data, trust).atStart(new Date())
    if (typeof active === 'string') throw new Error(`after kill ${kill}: ${active}`)
    const profile = readFileSync(active.profileFile, 'utf8')
    expect(
      [...made.keys()].some((known) => known === profile),
      `after kill ${kill}`,
    ).toBe(true)
    expect(profile).toContain(`number ${active.manifest.sequence}\n`)
  }
  const last = bundle(newest + 1)
  expect(openBundleStore(data, trust).put(last, lane, new Date())).toMatchObject({ kind: 'put' })
  expect(openBundleStore(data, trust).atStart(new Date())).toMatchObject({ manifest: { sequence: newest + 1 } })
  expect(openBundleStore(data, trust).undo(new Date())).toMatchObject({ kind: 'undone' })
})
