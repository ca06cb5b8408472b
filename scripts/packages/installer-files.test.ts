import { execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { FIRST_STATE, installerFiles } from './installer-files.ts'
import { PLATFORMS } from './platforms.ts'

const starterOf = (name: keyof typeof PLATFORMS): string =>
  installerFiles(PLATFORMS[name])
    .find((file) => /^milepost(\.cmd)?$/.test(file.path))
    ?.bytes.toString('utf8') ?? ''

test('the starter runs the good slot, also by a link to it and where no state is', () => {
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
  // Damaged: by the copy beside it.
  writeFileSync(path.join(root, 'slots', 'state.kept.json'), FIRST_STATE.replace('"good":"a"', '"good":"b"'))
  writeFileSync(state, '{"format":1,"good":"a"')
  expect(run()).toBe('b two words\n')
  // No state at all, and one program that stands there.
  rmSync(path.join(root, 'slots', 'state.kept.json'))
  rmSync(path.join(root, 'slots', 'a'), { recursive: true })
  expect(run()).toBe('b two words\n')
})

test('the installer run by root says that the terminal’s user starts the program', (context) => {
  if (process.getuid?.() !== 0) context.skip('only root can install as root')
  const folder = mkdtempSync(path.join(tmpdir(), 'milepost-installer-'))
  onTestFinished(() => {
    rmSync(folder, { recursive: true, force: true })
  })
  const [installer] = installerFiles(PLATFORMS['linux-x64']).filter(({ path: name }) => name === 'install.sh')
  mkdirSync(path.join(folder, 'milepost'))
  writeFileSync(path.join(folder, 'milepost', 'install.sh'), installer?.bytes ?? '')
  const asked = [path.join(folder, 'milepost', 'install.sh'), path.join(folder, 'to')]
  const { status, stderr } = spawnSync('sh', asked, { encoding: 'utf8' })
  expect(status).toBe(0)
  expect(stderr).toMatch(/as the user of the terminal[\s\S]*comme l'utilisateur du terminal/)
})

test('each system has a starter of its own program and an installer', () => {
  expect(starterOf('win-x64')).toContain(String.raw`"%~dp0slots\%slot%\Milepost.exe" %*`)
  expect(starterOf('mac-arm64')).toContain('exec "$program/Milepost.app/Contents/MacOS/Milepost" "$@"')
  expect(starterOf('linux-x64-browser')).toContain(
    'exec "$program/bin/node" --no-concurrent-sparkplug "$program/launcher/main.js" "$@"',
  )
  expect(installerFiles(PLATFORMS['win-x64']).map((file) => file.path)).toContain('install.ps1')
})
