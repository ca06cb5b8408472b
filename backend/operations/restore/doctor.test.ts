import { execFileSync } from 'node:child_process'
import { readdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { LaneCheck } from '../../../contracts/operations/lane-check-page.ts'
import { temporaryFolder } from '../../core/http/testing.ts'
import { checkInChild } from '../lane-check/check-process.ts'
import { TRAINING } from '../lane-check/checked-lane.fixture.ts'
import { run } from '../../../packages/lab/rig/process.ts'
import { useCentral } from '../../../packages/lab/testing/central.ts'
import { openTerminalHarness } from '../../../packages/lab/testing/terminal-harness.ts'

const central = useCentral()

interface Report {
  readonly code: number | null
  readonly output: string
  readonly sections: Readonly<Record<string, readonly string[]>>
}

async function doctor(args: readonly string[]): Promise<Report> {
  const { code, stdout: output, stderr: errorOutput } = await run([join(import.meta.dirname, 'doctor.ts'), ...args])
  const lines = args.includes('--json') ? output.trim().split('\n') : []
  const sections = lines
    .map((line) => JSON.parse(line) as { kind: string; check: string; findings: { code: string }[] })
    .filter(({ kind }) => kind === 'part')
    .map(({ check, findings }) => [check, findings.map((one) => one.code)] as const)
  return { code, output: output + errorOutput, sections: Object.fromEntries(sections) }
}

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

test('the lane doctor checks a stopped lane and its database without changing a file', async () => {
  const here = await openTerminalHarness(central)
  await here.close()
  const before = pictureOf(here.folder)
  const report = await doctor(['--data', here.folder, '--profile', TRAINING, '--browser=Chromium', '--json'])
  expect(report.sections).toMatchObject({
    profile: ['profile-good', 'profile-training'],
    key: ['key-in-file'],
    database: ['database-sound'],
    program: ['program-version', 'program-reads-database'],
    window: ['window-browser'],
    devices: Array.from({ length: 6 }, () => 'device-virtual'),
    network: ['network-training'],
  })
  expect(report.sections['folder']).toEqual(['folder-closed', 'terminal-stopped'])
  expect(report.code).toBe(1)
  expect(pictureOf(here.folder)).toEqual(before)
})

test('the lane doctor reports the process of a running terminal without taking its lock', async () => {
  const here = await openTerminalHarness(central)
  const report = await doctor(['--data', here.folder, '--profile', TRAINING, '--language', 'fr'])
  expect(report.output).toContain(`Un terminal est en marche ici (processus ${process.pid}).`)
  expect(report.output).toContain('La base de données est saine')
  expect(report.output).not.toContain('Démarrez le terminal')
  expect(report.output).toMatch(/Aucun problème, \d+ à surveiller\.\n$/)
  await here.ring('1021')
})

test('a lane check on a hanging disk ends at its deadline and names the section that hangs', async () => {
  const folder = temporaryFolder()
  // Opening a FIFO blocks until someone writes to it, as a hanging disk blocks.
  execFileSync('mkfifo', [join(folder, 'pipe')])
  const program = join(folder, 'hangs.mjs')
  writeFileSync(program, HANGS)
  const report: LaneCheck[] = []
  const { parts, endedAt } = await checkInChild(
    program,
    [join(folder, 'pipe')],
    (check) => void report.push(check),
    2_000,
  )
  const codes = parts.map(({ check, findings }) => [check, findings.map(({ code }) => code)] as const)
  expect(Object.fromEntries(codes)).toMatchObject({
    key: ['hangs'],
    secret: ['took-too-long'],
    folder: ['took-too-long'],
  })
  expect([report.length, endedAt]).toEqual([1, expect.any(String)])
})

test('a lane check whose process is killed reports the section that was being checked', async () => {
  const program = join(temporaryFolder(), 'dies.mjs')
  writeFileSync(program, 'process.kill(process.pid, "SIGBUS")')
  const report: LaneCheck[] = []
  const { parts, endedAt } = await checkInChild(program, [], (check) => void report.push(check))
  expect(parts[0]?.findings).toEqual([{ code: 'broke-off', values: { reason: 'SIGBUS' } }])
  expect([report.length, endedAt]).toEqual([1, expect.any(String)])
})

test('the lane doctor refuses invalid input with its usage', async () => {
  expect(await doctor([])).toMatchObject({
    code: 2,
    output: expect.stringContaining('--data FOLDER and --profile FILE'),
  })
  expect((await doctor(['--data=', '--profile', 'x', '--language', 'fr'])).output).toContain('--data exige une valeur.')
})
