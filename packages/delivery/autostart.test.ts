import { execFileSync, spawnSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import {
  type LaneStart,
  configFolderOf,
  desktopEntry,
  findAutostart,
  folderOfEntry,
  folderOfUnit,
  installAutostart,
  isEntryOn,
  removeAutostart,
  systemdUnit,
} from './autostart.ts'

const has = (program: string): boolean => spawnSync('which', [program]).status === 0
const HARD = `a b 100% %h "q" 'x' $HOME \${x} \\back é`

function temporary(): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'milepost-autostart-'))
  onTestFinished(() => {
    rmSync(folder, { recursive: true, force: true })
  })
  return folder
}

const startIn = (folder: string, program = '/opt/milepost/milepost'): LaneStart => ({
  argv: [program, 'start', '--data', path.join(folder, HARD), '', '--kiosk'],
  workingFolder: folder,
  dataFolder: path.join(folder, HARD),
})

test('a systemd unit passes each argument unchanged and restarts the lane without a limit', () => {
  const text = systemdUnit(startIn('/srv'), 252)
  expect(text).toContain(
    `ExecStart="/opt/milepost/milepost" "start" ` +
      `"--data" "/srv/a b 100%% %%h \\"q\\" 'x' $$HOME $\${x} \\\\back é" "" ` +
      '"--kiosk"\n',
  )
  expect(text).toMatch(/^StartLimitIntervalSec=0$/m)
  expect(text).toMatch(/^Restart=always$/m)
  expect(text).toMatch(/^RestartPreventExitStatus=2 4$/m)
  expect(text).not.toContain('RestartSteps')
  expect(systemdUnit(startIn('/srv'), 254)).toMatch(/^RestartSteps=5\nRestartMaxDelaySec=60$/m)
  expect(systemdUnit(startIn('/srv'), null)).not.toContain('RestartSteps')
  expect(folderOfUnit(text)).toBe(`/srv/${HARD}`)
  expect(folderOfUnit('[Service]\nExecStart=/bin/true\n')).toBeNull()
})

test.each(['/srv/a\nExecStart=/bin/false', '/srv/\u0007'])(
  'autostart rejects the path %j, which has a control character',
  (dataFolder) => {
    const start: LaneStart = { argv: ['/opt/milepost'], workingFolder: '/opt', dataFolder }
    expect(() => systemdUnit(start, 252)).toThrow('cannot contain')
    expect(() => desktopEntry(start)).toThrow('cannot contain')
    expect(() => systemdUnit({ ...start, dataFolder: '/a', argv: ['/opt/x', dataFolder] }, 252)).toThrow(
      'cannot contain',
    )
  },
)

test('systemd accepts the unit of a lane and finds its program', ({ skip }) => {
  skip(!has('systemd-analyze'), 'systemd is not installed')
  const folder = path.join(temporary(), `a b 100% "q" 'x' $y \\back`)
  mkdirSync(folder)
  const plain = path.join(temporary(), 'mile post')
  writeFileSync(plain, '#!/bin/sh\n', { mode: 0o755 })
  const version = Number(
    /^systemd (\d+)/.exec(execFileSync('systemd-analyze', ['--version'], { encoding: 'utf8' }))?.[1],
  )
  const verify = (start: LaneStart) => {
    const file = installAutostart(path.join(folder, 'config'), 'unit', start, version)
    // The runtime folder has a short path, because units of other programs name sockets in it.
    const env = { ...process.env, XDG_RUNTIME_DIR: temporary() }
    return spawnSync('systemd-analyze', ['--user', 'verify', file], { encoding: 'utf8', env })
  }
  expect(verify(startIn(folder, plain))).toMatchObject({ status: 0, stderr: '' })
  expect(verify(startIn(folder, `${plain}-that-is-not-there`)).stderr).toContain('is not executable')
  expect(verify(startIn(folder, path.join(folder, 'milepost')))).toMatchObject({ status: 0, stderr: '' })
})

test('a desktop starts the program of an autostart entry with the intended arguments', async ({ skip }) => {
  skip(!has('gio'), 'gio is not installed')
  const folder = temporary()
  const outputFile = path.join(folder, 'heard')
  const program = path.join(folder, `p 5% "o" 'x' $y`)
  writeFileSync(
    program,
    `#!/bin/sh\nfor each in "$PWD" "$@"; do printf '%s\\n' "$each"; done >'${outputFile}.new'\n` +
      `mv '${outputFile}.new' '${outputFile}'\n`,
  )
  chmodSync(program, 0o755)
  const start = startIn(folder, program)
  const file = installAutostart(folder, 'entry', start, null)
  execFileSync('gio', ['launch', file], { stdio: 'ignore' })
  await expect.poll(() => existsSync(outputFile), { timeout: 20_000 }).toBe(true)
  expect(readFileSync(outputFile, 'utf8').split('\n').slice(0, -1)).toEqual([folder, ...start.argv.slice(1)])
})

test('an autostart entry contains the data folder, and the user can disable it', () => {
  const text = desktopEntry(startIn('/srv'))
  expect(folderOfEntry(text)).toBe(`/srv/${HARD}`)
  expect(isEntryOn(text)).toBe(true)
  expect(isEntryOn(text.replace('enabled=true', 'enabled=false'))).toBe(false)
  expect(isEntryOn(`${text}Hidden=true\n`)).toBe(false)
})

test('setting up one kind of autostart replaces the other kind, and removal leaves none', () => {
  const config = configFolderOf({ XDG_CONFIG_HOME: path.join(temporary(), 'config') }, '/home/nobody')
  expect(configFolderOf({ XDG_CONFIG_HOME: 'relative' }, '/home/nobody')).toBe('/home/nobody/.config')
  expect(findAutostart(config)).toEqual([])
  const start = startIn('/srv')
  const entry = installAutostart(config, 'entry', start, null)
  const unit = installAutostart(config, 'unit', start, 252)
  expect(existsSync(entry)).toBe(false)
  const program = '/opt/milepost/milepost'
  const found = { kind: 'unit', file: unit, enabled: true, dataFolder: start.dataFolder, program }
  expect(findAutostart(config)).toEqual([found])
  installAutostart(config, 'unit', { ...start, dataFolder: '/srv/other' }, 252)
  expect(findAutostart(config)[0]?.dataFolder).toBe('/srv/other')
  expect(removeAutostart(config)).toEqual([{ ...found, dataFolder: '/srv/other' }])
  expect(removeAutostart(config)).toEqual([])
  expect(findAutostart(config)).toEqual([])
})

test('a failed write of an autostart leaves the existing autostart unchanged', () => {
  const config = path.join(temporary(), 'config')
  const start = startIn('/srv')
  installAutostart(config, 'unit', start, 252)
  const before = findAutostart(config)
  writeFileSync(path.join(config, 'autostart'), '')
  expect(() => installAutostart(config, 'entry', start, null)).toThrow('EEXIST')
  expect(findAutostart(config)).toEqual(before)
})
