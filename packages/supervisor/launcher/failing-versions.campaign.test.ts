import { spawnSync } from 'node:child_process'
import { mkdirSync, rmSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { FIRST_LOCALE } from '../../../contracts/i18n/languages.ts'
import { FIRST_PIN, installLane, LANE, type InstalledLane } from '../../delivery/testing/installed-lane.ts'
import { makeProgram, schemaOf, type Behaviour } from '../../delivery/testing/installed-programs.ts'
import { listOf, newSigner } from '../../delivery/testing/bundle-content.ts'
import { releaseFolder, serveFolder, type FileServer } from '../../delivery/testing/release-folder.ts'
import { openSlots } from '../../delivery/updates/slots.ts'
import { startInSlots } from './program.ts'
import { launcherTranslator } from './translators.ts'

const root = fileURLToPath(new URL('../../..', import.meta.url))
const work = path.join(root, 'build', 'updates-test', `failing-${process.pid}`)
const signer = newSigner()
let server: FileServer
let versions: ReturnType<typeof releaseFolder>
let first: InstalledLane
let sequence = 0

beforeAll(async () => {
  const built = spawnSync(process.execPath, [...process.execArgv, path.join(root, 'scripts', 'build.ts'), '--stale'], {
    encoding: 'utf8',
  })
  if (built.status !== 0) throw new Error(built.stderr)
  mkdirSync(work, { recursive: true })
  versions = releaseFolder(path.join(work, 'published'), signer)
  server = await serveFolder(versions.folder)
  const files = makeProgram(path.join(work, 'old'), '1.0.0', { hasMigration: false })
  const sealed = versions.put('1.0.0', files, { schema: schemaOf(files) })
  first = installLane(path.join(work, 'lane'), { files, sealed, signer, updatesUrl: server.base })
  await first.command(['set-secret'], 'made up\n')
  const running = first.start()
  await running.link()
  running.child.kill('SIGTERM')
  await running.ended
  await first.command(['set-pin', 'omar'], `${FIRST_PIN}\n`)
}, 120_000)
afterAll(async () => {
  await server.close()
  rmSync(work, { recursive: true, force: true })
})

async function startOver(version: string, behaviour: Behaviour) {
  const files = makeProgram(path.join(work, 'new'), version, { hasMigration: true, behaviour })
  versions.put(version, files, { schema: schemaOf(files) })
  versions.announce({ stable: version, sequence: (sequence += 1), expiresAt: '2126-01-01T00:00:00Z' })
  const checked = await first.command(['update', 'check', '--from', server.base])
  expect(checked).toMatchObject({ code: 0, output: expect.stringContaining(version) })
  expect((await first.command(['update', 'now'])).code).toBe(0)
  const output: string[] = []
  const own: number[] = []
  await startInSlots({
    slots: openSlots({
      root: first.root,
      platform: 'linux-x64-browser',
      trust: () => listOf(1, [signer]),
      now: () => new Date(),
    }),
    own: 'a',
    dataFolder: first.data,
    terminal: () => Promise.resolve(own.push(1)),
    stopRequested: new Promise(() => {}),
    args: ['--no-window', '--lane', LANE.lane, '--data', first.data],
    program: {
      folder: path.join(first.root, 'slots', 'a'),
      translate: launcherTranslator(FIRST_LOCALE),
      locale: FIRST_LOCALE,
      language: null,
      log: (line) => output.push(line),
    },
    patienceMs: behaviour === 'hangs' ? 3_000 : 120_000,
    stopMs: 500,
  })
  return { output, own: own.length }
}

const tries = (version: string, why: string): string[] => [
  ...Array.from({ length: 3 }, () => [
    `Trying Milepost ${version}.`,
    `Milepost ${version} did not start: ${why}.`,
  ]).flat(),
  `Milepost ${version} did not start in three attempts. Returned to the previous version.`,
]

test.each([
  ['1.1.0', 'ends', 'ended', 'it ended at once'],
  ['1.2.0', 'hangs', 'hung', 'it was not ready in time'],
  ['1.3.0', 'crashes', 'crashed', 'it ended while it was in use'],
] as const)(
  'version %s, whose backend %s, is given up after three tries, and the lane starts with the previous version',
  async (...given) => {
    const [version, behaviour, why, reason] = given
    expect(await startOver(version, behaviour)).toEqual({ output: tries(version, reason), own: 1 })
    expect(first.state()).toMatchObject({ good: 'a', trial: null, last: { version, outcome: 'went-back', why } })
    expect((await first.command(['update', 'check', '--from', server.base])).output).toContain('newest version')
    const running = first.start()
    expect(await running.link()).toContain('127.0.0.1')
    running.child.kill('SIGTERM')
    expect(await running.ended).toBe(0)
  },
)
