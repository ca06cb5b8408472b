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
import { openDemoFolder, setDemoAside } from './folder.ts'
import { readDemoOptions } from './options.ts'
import { laneIds, writeProfile } from './profile.ts'

function temporary(): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'milepost-demo-'))
  chmodSync(folder, 0o755)
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

test('what cannot be understood is refused in words', () => {
  expect(readDemoOptions([])).toMatchObject({ lanes: 3, port: null, open: false, fresh: false })
  expect(readDemoOptions(['--lanes', '30', '--port', '9000'])).toMatchObject({ lanes: 30, port: 9000 })
  for (const [args, why] of [
    [['--lanes', '31'], '--lanes needs a whole number from 1 to 30, not "31".'],
    [['--lanes', '0'], '--lanes needs a whole number'],
    [['--port', '80'], '--port needs a whole number from 1024'],
    [['--open', '--without-window'], '--open and --without-window: one of the two.'],
    [['--data', ' '], '--data is given without a value.'],
  ] as const)
    expect(() => readDemoOptions(args)).toThrow(why)
})

test('thirty lanes have a profile that a terminal takes', async () => {
  const file = path.join(temporary(), 'store.yaml')
  writeProfile(file, laneIds(30))
  expect(await checkProfile(file)).toBe(null)
  const written = readFileSync(file, 'utf8')
  expect(written.match(/deviceId: N101-\d\d/g)).toHaveLength(30)
  expect(written).toContain('SIMULATED-30')
})

test('a demo keeps what it knows, is set aside whole, and leaves other folders alone', () => {
  const [home, other] = [path.join(temporary(), 'demo'), temporary()]
  openDemoFolder(home).keep({ serverPort: 8443 })
  expect(openDemoFolder(home).state()).toMatchObject({ serverPort: 8443, lanes: {} })
  const aside = setDemoAside(home, new Date()) ?? ''
  expect(existsSync(home)).toBe(false)
  expect(readdirSync(aside)).toEqual(['demo.json'])
  expect(openDemoFolder(home).state()).toMatchObject({ serverPort: null })
  writeFileSync(path.join(other, 'letter.txt'), 'to the manager')
  expect(() => openDemoFolder(other)).toThrow('holds something else than a demo')
  expect(setDemoAside(other, new Date())).toBe(null)
  expect(readdirSync(other)).toEqual(['letter.txt'])
})

test('as root, a folder to which PostgreSQL’s user cannot come is refused', ({ skip }) => {
  skip(process.getuid?.() !== 0, 'needs root')
  const closed = path.join(temporary(), 'closed')
  mkdirSync(closed, { mode: 0o700 })
  expect(() => openDemoFolder(path.join(closed, 'demo'))).toThrow(`to whom ${closed} is closed`)
})
