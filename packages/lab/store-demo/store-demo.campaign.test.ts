import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { checkProfile } from '../../delivery/commands/check-profile.ts'
import { openDemoFolder, renameDemo } from './folder.ts'
import { readDemoOptions } from './options.ts'
import { laneIds, writeProfile } from './profile.ts'

function temporary(): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'milepost-demo-'))
  chmodSync(folder, 0o755)
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

test('the demo rejects invalid options with a message', () => {
  expect(readDemoOptions([])).toMatchObject({ lanes: 3, port: null, open: false, fresh: false })
  expect(readDemoOptions(['--lanes', '30', '--port', '9000'])).toMatchObject({ lanes: 30, port: 9000 })
  for (const [args, why] of [
    [['--lanes', '31'], '--lanes needs a whole number from 1 to 30, not "31".'],
    [['--lanes', '0'], '--lanes needs a whole number'],
    [['--port', '80'], '--port needs a whole number from 1024'],
    [['--open', '--without-window'], '--open and --without-window cannot be combined.'],
    [['--data', ' '], '--data is given without a value.'],
  ] as const)
    expect(() => readDemoOptions(args)).toThrow(why)
})

test('the demo writes a valid profile for thirty lanes', async () => {
  const file = path.join(temporary(), 'store.yaml')
  writeProfile(file, laneIds(30))
  expect(await checkProfile(file)).toBe(null)
  const written = readFileSync(file, 'utf8')
  expect(written.match(/deviceId: N101-\d\d/g)).toHaveLength(30)
  expect(written).toContain('SIMULATED-30')
})

test('the demo keeps its state, renames its folder as a whole, and does not touch other folders', () => {
  const [home, other] = [path.join(temporary(), 'demo'), temporary()]
  openDemoFolder(home).save({ serverPort: 8443 })
  expect(openDemoFolder(home).state()).toMatchObject({ serverPort: 8443, lanes: {} })
  const aside = renameDemo(home, new Date()) ?? ''
  expect(existsSync(home)).toBe(false)
  expect(readdirSync(aside)).toEqual(['demo.json'])
  expect(openDemoFolder(home).state()).toMatchObject({ serverPort: null })
  writeFileSync(path.join(other, 'letter.txt'), 'to the manager')
  expect(() => openDemoFolder(other)).toThrow('has other files than those of a demo')
  expect(renameDemo(other, new Date())).toBe(null)
  expect(readdirSync(other)).toEqual(['letter.txt'])
})

test('the demo, run by root, rejects a folder that PostgreSQL’s user cannot enter', ({ skip }) => {
  skip(process.getuid?.() !== 0, 'needs root')
  const closed = path.join(temporary(), 'closed')
  mkdirSync(closed, { mode: 0o700 })
  expect(() => openDemoFolder(path.join(closed, 'demo'))).toThrow(`cannot open ${closed}`)
})
