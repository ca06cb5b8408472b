import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { packBundle } from '../delivery/bundle.ts'
import { readNotices } from '../delivery/stored-bundles.ts'
import { openBundleStore } from '../delivery/bundle-store.ts'
import { listOf, newSigner, bundleContent } from '../delivery/testing/bundle-content.ts'
import { sealTrust } from '../delivery/trust.ts'
import { laneProfile } from './lane-profile.ts'
import { readProfileOutline } from './profile-outline.ts'
import { launchNode } from './service.ts'
import { startTerminal } from './terminal.ts'

const at = (file: string): string => fileURLToPath(new URL(file, import.meta.url))
const PROFILE = at('../../stores/training.yaml')
const signer = newSigner()
const trust = listOf(1, [signer])

test('a lane whose new bundle is unusable runs with the previous one, after a start and after a crash', async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'milepost-'))
  onTestFinished(() => {
    rmSync(folder, { recursive: true, force: true })
  })
  const [data, trustFile] = [path.join(folder, 'data'), path.join(folder, 'trust.keys')]
  writeFileSync(trustFile, sealTrust(trust, signer))
  const outline = readProfileOutline(PROFILE)
  if (outline === null) throw new Error('the training profile must be read')
  const lines: string[] = []
  const log = (line: string): void => void lines.push(line)

  function put(sequence: number, change: (profile: string) => string): void {
    const { manifest } = bundleContent({ sequence, store: { id: outline?.storeId ?? '', name: 'x' }, lanes: ['01'] })
    const files = new Map([
      ['profile.yaml', Buffer.from(change(readFileSync(PROFILE, 'utf8')))],
      ['training-catalog.csv', readFileSync(at('../../stores/training-catalog.csv'))],
    ])
    const file = path.join(folder, `${sequence}.bundle`)
    writeFileSync(file, packBundle({ manifest, files }, signer))
    expect(openBundleStore(data, trust).put(file, null, new Date())).toMatchObject({ kind: 'put' })
  }
  const back = { now: Promise.withResolvers<void>() }
  async function start() {
    const place = { outline: outline ?? { mode: 'training', storeId: '', lanes: ['01'] }, dataFolder: data, lane: '01' }
    const profile = laneProfile({ ...place, profileFile: PROFILE, trustFile, now: () => new Date(), log })
    const terminal = await startTerminal({
      mode: 'training',
      profileFile: profile.file,
      onProfileUp: profile.onUp,
      otherProfileAfter: profile.otherAfter,
      dataFolder: data,
      lane: '01',
      listen: { kind: 'port', port: 0 },
      backendMain: at('../../backend/main.ts'),
      centralMain: at('../central/main.ts'),
      staticFolder: folder,
      launch: launchNode,
      secrets: {},
      log,
      onBackendAgain: () => back.now.resolve(),
      backoffMs: () => 10,
    })
    onTestFinished(() => terminal.stop())
    return terminal
  }
  const numbers = () => {
    const { current, notice } = openBundleStore(data, trust).list()
    return [current?.sequence, notice?.kind, notice?.number, notice?.words.join()]
  }

  put(1, (profile) => profile)
  const first = await start()
  expect(numbers()).toEqual([1, undefined, undefined, undefined])
  await first.stop()

  put(2, (profile) => `${profile}\nlimist: {}\n`)
  const second = await start()
  const unknown = expect.stringMatching(/^profile\.yaml:\d+:1 {2}limist: this setting does not exist here/)
  expect(numbers()).toEqual([1, 'refused', 2, unknown])
  expect(lines.join('\n')).toContain('Bundle 2 IS NOT ACTIVE')
  // The notice disappears when the terminal has written it into its audit trail.
  await expect.poll(() => readNotices(data), { timeout: 60_000 }).toEqual([])

  // Bundle 3 names an invalid picture, so the killed backend restarts with bundle 1.
  put(3, (profile) => profile.replace('\nreceipt:\n', '\nreceipt:\n  logo: { file: training-catalog.csv }\n'))
  process.kill(second.pids().backend ?? 0, 'SIGKILL')
  await back.now.promise
  expect(numbers()).toEqual([1, 'refused', 3, expect.stringContaining('receipt.logo.file')])

  put(4, (profile) => profile)
  back.now = Promise.withResolvers()
  process.kill(second.pids().backend ?? 0, 'SIGKILL')
  await back.now.promise
  expect(numbers()).toEqual([4, undefined, undefined, undefined])
}, 240_000)
