import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { FIRST_STATE, installerFiles } from './installer-files.ts'
import { PLATFORMS } from './program-files.ts'

const starterOf = (name: keyof typeof PLATFORMS): string =>
  installerFiles(PLATFORMS[name])
    .find((file) => /^milepost(\.cmd)?$/.test(file.path))
    ?.bytes.toString('utf8') ?? ''

test('the starter runs the program of the good slot, even through a link or without a state file', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'milepost-starter-'))
  onTestFinished(() => {
    rmSync(folder, { recursive: true, force: true })
  })
  const root = path.join(folder, 'a package')
  for (const slot of ['a', 'b']) {
    mkdirSync(path.join(root, 'slots', slot), { recursive: true })
    writeFileSync(path.join(root, 'slots', slot, 'milepost'), `#!/bin/sh\necho ${slot} "$2"\n`, { mode: 0o755 })
  }
  writeFileSync(path.join(root, 'milepost'), starterOf('linux-x64'), { mode: 0o755 })
  symlinkSync(path.join(root, 'milepost'), path.join(folder, 'link'))
  const run = (): string => execFileSync(path.join(folder, 'link'), ['one', 'two words'], { encoding: 'utf8' })
  expect(run()).toBe('a two words\n')
  const state = path.join(root, 'slots', 'state.json')
  writeFileSync(state, FIRST_STATE)
  expect(run()).toBe('a two words\n')
  writeFileSync(state, FIRST_STATE.replace('"good":"a"', '"good":"b"'))
  expect(run()).toBe('b two words\n')
  writeFileSync(path.join(root, 'slots', 'state.kept.json'), FIRST_STATE.replace('"good":"a"', '"good":"b"'))
  writeFileSync(state, '{"format":1,"good":"a"')
  expect(run()).toBe('b two words\n')
  rmSync(path.join(root, 'slots', 'state.kept.json'))
  rmSync(path.join(root, 'slots', 'a'), { recursive: true })
  expect(run()).toBe('b two words\n')
})

test('the installer run by root reports that the terminal’s user must start the program', (context) => {
  if (process.getuid?.() !== 0) context.skip('only root can install as root')
  const folder = mkdtempSync(path.join(tmpdir(), 'milepost-installer-'))
  onTestFinished(() => {
    rmSync(folder, { recursive: true, force: true })
  })
  const [installer] = installerFiles(PLATFORMS['linux-x64']).filter(({ path: name }) => name === 'install.sh')
  mkdirSync(path.join(folder, 'milepost'))
  writeFileSync(path.join(folder, 'milepost', 'install.sh'), installer?.bytes ?? '')
  const args = [path.join(folder, 'milepost', 'install.sh'), path.join(folder, 'to')]
  const { status, stderr } = spawnSync('sh', args, { encoding: 'utf8' })
  expect(status).toBe(0)
  expect(stderr).toMatch(/as the user of the terminal[\s\S]*avec le compte du terminal/)
})

test('each system gets an installer, and a starter of its own program', () => {
  expect(starterOf('win-x64')).toContain(String.raw`"%~dp0slots\%slot%\Milepost.exe" %*`)
  expect(starterOf('mac-arm64')).toContain('exec "$program/Milepost.app/Contents/MacOS/Milepost" "$@"')
  expect(starterOf('linux-x64-browser')).toContain(
    'exec "$program/bin/node" --no-concurrent-sparkplug "$program/launcher/main.js" "$@"',
  )
  expect(installerFiles(PLATFORMS['win-x64']).map((file) => file.path)).toEqual(
    expect.arrayContaining(['install.ps1', 'uninstall.ps1']),
  )
})

function packageOf(version: string) {
  const folder = mkdtempSync(path.join(tmpdir(), 'milepost-installer-'))
  onTestFinished(() => {
    rmSync(folder, { recursive: true, force: true })
  })
  const home = path.join(folder, 'home')
  const unpack = (named: string, store = '1001'): string => {
    const unpacked = path.join(folder, `unpacked ${named}`, 'milepost')
    mkdirSync(path.join(unpacked, 'slots', 'a'), { recursive: true })
    mkdirSync(path.join(unpacked, 'store'))
    // The program contains a copy of `sleep`, so that a test can keep a process of it running.
    copyFileSync(realpathSync('/bin/sleep'), path.join(unpacked, 'slots', 'a', 'sleep'))
    writeFileSync(path.join(unpacked, 'slots', 'a', 'milepost'), `#!/bin/sh\necho ${named}\n`, { mode: 0o755 })
    for (const { path: name, bytes } of installerFiles(PLATFORMS['linux-x64']))
      writeFileSync(path.join(unpacked, name), bytes, { mode: 0o755 })
    const manifest = JSON.stringify({ format: 1, kind: 'package', store: { id: store, name: 'Store' }, files: [] })
    writeFileSync(path.join(unpacked, 'package.signed'), Buffer.concat([Buffer.from(manifest), Buffer.from([10, 0])]))
    return path.join(unpacked, 'install.sh')
  }
  const env = { HOME: home, PATH: process.env['PATH'] }
  const sh = (script: string, ...args: readonly string[]) =>
    spawnSync('sh', [script, ...args], { encoding: 'utf8', env })
  const to = path.join(home, 'opt', 'milepost')
  expect(sh(unpack(version), to)).toMatchObject({ status: 0 })
  return { home, to, sh, unpack, version: () => execFileSync(path.join(to, 'milepost'), { encoding: 'utf8' }).trim() }
}

test('the installer replaces the program in place only with --replace', () => {
  const { home, to, sh, unpack, version } = packageOf('first')
  const second = unpack('second')
  expect(sh(second, to)).toMatchObject({ status: 1, stderr: expect.stringContaining('--replace') })
  expect(version()).toBe('first')
  const replaced = sh(second, '--replace', to)
  expect(replaced).toMatchObject({ status: 0, stdout: expect.stringContaining("the lane's data did not change") })
  expect(replaced.stdout).not.toContain('set-secret')
  expect(version()).toBe('second')
  expect(readdirSync(path.dirname(to))).toEqual(['milepost'])
  renameSync(to, `${to}.old`)
  expect(sh(unpack('third'), '--replace', to)).toMatchObject({ status: 0 })
  expect(version()).toBe('third')
  expect(readdirSync(path.dirname(to))).toEqual(['milepost'])
  expect(sh(second, '--replace', home)).toMatchObject({
    status: 1,
    stderr: expect.stringContaining('is not an installed'),
  })
  expect(sh(path.join(to, 'install.sh'), '--replace', to)).toMatchObject({ status: 1 })
  expect(version()).toBe('third')
})

test('the installer does not replace the program with a package of another store', () => {
  const { to, sh, unpack, version } = packageOf('first')
  const { status, stderr } = sh(unpack('second', '4417'), '--replace', to)
  expect(status).toBe(1)
  expect(stderr).toContain('is the program of store 1001, but this package is for store 4417')
  expect(stderr).toContain('est le programme du magasin 1001, mais ce paquet est pour le magasin 4417')
  expect(version()).toBe('first')
})

test('the Windows installer compares the stores before it changes anything', () => {
  const script = installerFiles(PLATFORMS['win-x64'])
    .find(({ path: name }) => name === 'install.ps1')
    ?.bytes.toString()
  const compared = script?.indexOf('if ($old -and ($old -ne $new)) {') ?? -1
  expect(compared).toBeGreaterThan(0)
  expect(script?.indexOf('Remove-Item')).toBeGreaterThan(compared)
  expect(script).toContain(String.raw`-match '"store":\{"id":"([^"]*)"'`)
})

test('the installer neither replaces nor removes a running program', async () => {
  const { to, sh, unpack, version } = packageOf('first')
  const second = unpack('second')
  const running = spawn(path.join(to, 'slots', 'a', 'sleep'), ['600'])
  onTestFinished(() => {
    running.kill('SIGKILL')
  })
  await once(running, 'spawn')
  const refused = { status: 1, stderr: expect.stringContaining('Milepost runs from') }
  expect(sh(second, '--replace', to)).toMatchObject(refused)
  expect(sh(path.join(to, 'uninstall.sh'))).toMatchObject(refused)
  expect(version()).toBe('first')
})

test('uninstalling removes the program’s autostart and link, and keeps data and another program’s autostart', () => {
  const { home, to, sh } = packageOf('first')
  const at = (...names: string[]): string => path.join(home, ...names)
  const put = (text: string, ...names: string[]): void => {
    mkdirSync(path.dirname(at(...names)), { recursive: true })
    writeFileSync(at(...names), text)
  }
  const data = ['.local', 'share', 'milepost', '1001-01', 'terminal.db']
  put('queue and journal', ...data)
  put(`ExecStart=${to}/milepost start`, '.config', 'systemd', 'user', 'milepost.service')
  put('Exec=/opt/other/milepost start', '.config', 'autostart', 'milepost.desktop')
  mkdirSync(at('.local', 'bin'), { recursive: true })
  symlinkSync(path.join(to, 'milepost'), at('.local', 'bin', 'milepost'))
  expect(sh(path.join(to, 'uninstall.sh'))).toMatchObject({ status: 0, stdout: expect.stringContaining(to) })
  expect(existsSync(to)).toBe(false)
  expect(existsSync(at('.config', 'systemd', 'user', 'milepost.service'))).toBe(false)
  expect(existsSync(at('.config', 'autostart', 'milepost.desktop'))).toBe(true)
  expect(readdirSync(at('.local', 'bin'))).toEqual([])
  expect(readFileSync(at(...data), 'utf8')).toBe('queue and journal')
})
