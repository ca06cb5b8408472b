import { execFileSync } from 'node:child_process'
import { readdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { LaneCheck } from '../../../contracts/operations/lane-check-page.ts'
import { temporaryFolder } from '../../core/http/testing.ts'
import { checkBeside } from '../lane-check/beside.ts'
import { TRAINING } from '../lane-check/checked-lane.fixture.ts'
import { run } from '../../../packages/lab/rig/process.ts'
import { useCentral } from '../../../packages/lab/testing/central.ts'
import { openTerminalHarness } from '../../../packages/lab/testing/terminal-harness.ts'

const central = useCentral()

interface Told {
  readonly code: number | null
  readonly said: string
  readonly parts: Readonly<Record<string, readonly string[]>>
}

async function doctor(args: readonly string[]): Promise<Told> {
  const { code, said, complained } = await run([join(import.meta.dirname, 'doctor.ts'), ...args])
  const lines = args.includes('--json') ? said.trim().split('\n') : []
  const parts = lines
    .map((line) => JSON.parse(line) as { kind: string; check: string; findings: { code: string }[] })
    .filter(({ kind }) => kind === 'part')
    .map(({ check, findings }) => [check, findings.map((one) => one.code)] as const)
  return { code, said: said + complained, parts: Object.fromEntries(parts) }
}

/** Every file with its size, its rights and when it was last written. */
const pictureOf = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => {
      const { size, mode, mtimeMs } = statSync(join(folder, name))
      return `${name} ${size} ${mode} ${mtimeMs}`
    })
    .toSorted()

const HANGS = `
  import { readFileSync } from 'node:fs'
  process.send({ looksAt: 'key' })
  readFileSync(process.argv[2])
`

test('a closed lane is looked at to its database, and nothing on it is another than before', async () => {
  const here = await openTerminalHarness(central)
  await here.close()
  const before = pictureOf(here.folder)
  const told = await doctor(['--data', here.folder, '--profile', TRAINING, '--browser=Chromium', '--json'])
  expect(told.parts).toMatchObject({
    profile: ['profile-good', 'profile-training'],
    key: ['key-in-file'],
    database: ['database-sound'],
    program: ['program-version', 'program-reads-database'],
    window: ['window-browser'],
    devices: Array.from({ length: 5 }, () => 'device-virtual'),
    network: ['network-training'],
  })
  expect(told.parts['folder']).toEqual(['folder-closed', 'terminal-stopped'])
  expect(told.code).toBe(1)
  expect(pictureOf(here.folder)).toEqual(before)
})

test('beside a running terminal it says which process that is, takes no lock, and says it in words', async () => {
  const here = await openTerminalHarness(central)
  const told = await doctor(['--data', here.folder, '--profile', TRAINING, '--language', 'fr'])
  expect(told.said).toContain(`Un terminal est en marche ici (processus ${process.pid}).`)
  expect(told.said).toContain('La base de données est saine')
  expect(told.said).not.toContain('Démarrez le terminal')
  expect(told.said).toMatch(/Aucun problème, \d+ à surveiller\.\n$/)
  // The terminal sells on.
  await here.ring('1021')
})

test('a disk that hangs holds nothing up, and is told where it was looked at', async () => {
  const folder = temporaryFolder()
  // Whoever opens it waits for somebody who writes.
  execFileSync('mkfifo', [join(folder, 'pipe')])
  const program = join(folder, 'hangs.mjs')
  writeFileSync(program, HANGS)
  const told: LaneCheck[] = []
  const { parts, endedAt } = await checkBeside(program, [join(folder, 'pipe')], (check) => void told.push(check), 2_000)
  const codes = parts.map(({ check, findings }) => [check, findings.map(({ code }) => code)] as const)
  expect(Object.fromEntries(codes)).toMatchObject({
    key: ['hangs'],
    secret: ['took-too-long'],
    folder: ['took-too-long'],
  })
  expect([told.length, endedAt]).toEqual([1, expect.any(String)])
})

test('a check whose process is ended says where it broke off', async () => {
  const program = join(temporaryFolder(), 'dies.mjs')
  writeFileSync(program, 'process.kill(process.pid, "SIGBUS")')
  const told: LaneCheck[] = []
  const { parts, endedAt } = await checkBeside(program, [], (check) => void told.push(check))
  expect(parts[0]?.findings).toEqual([{ code: 'broke-off', values: { reason: 'SIGBUS' } }])
  expect([told.length, endedAt]).toEqual([1, expect.any(String)])
})

test('what cannot be understood is refused with the usage', async () => {
  expect(await doctor([])).toMatchObject({ code: 2, said: expect.stringContaining('--data FOLDER and --profile FILE') })
  expect((await doctor(['--data=', '--profile', 'x', '--language', 'fr'])).said).toContain('--data demande une valeur.')
})
