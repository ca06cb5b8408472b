import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { TRAINING } from './lane-check/checked-lane.fixture.ts'
import { useCentral } from './testing/central.ts'
import { openTerminalHarness } from './testing/terminal-harness.ts'

const central = useCentral()

interface Told {
  readonly code: number
  readonly said: string
  readonly parts: Readonly<Record<string, readonly string[]>>
}

async function doctor(args: readonly string[]): Promise<Told> {
  const child = spawn(process.execPath, [join(import.meta.dirname, 'doctor.ts'), ...args])
  const [said, complained, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')])
  const lines = args.includes('--json') ? said.trim().split('\n') : []
  const parts = lines
    .map((line) => JSON.parse(line) as { kind: string; check: string; findings: { code: string }[] })
    .filter(({ kind }) => kind === 'part')
    .map(({ check, findings }) => [check, findings.map((one) => one.code)] as const)
  return { code: code as number, said: said + complained, parts: Object.fromEntries(parts) }
}

/** Every file with its size, its rights and when it was last written. */
const pictureOf = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => {
      const { size, mode, mtimeMs } = statSync(join(folder, name))
      return `${name} ${size} ${mode} ${mtimeMs}`
    })
    .toSorted()

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
  expect(told.said).toMatch(/Aucun problème, \d+ à surveiller\.\n$/)
  // The terminal sells on.
  await here.ring('1021')
})

test('what cannot be understood is refused with the usage', async () => {
  expect(await doctor([])).toMatchObject({ code: 2, said: expect.stringContaining('--data FOLDER and --profile FILE') })
  expect((await doctor(['--data=', '--profile', 'x', '--language', 'fr'])).said).toContain('--data demande une valeur.')
})
