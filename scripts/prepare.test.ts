import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'

let clone: string
const NOBODY = 65_534
beforeEach(() => {
  clone = mkdtempSync(path.join(tmpdir(), 'milepost-prepare-'))
  mkdirSync(path.join(clone, 'scripts'))
  for (const file of ['prepare.mjs', 'test-tools.mjs'])
    cpSync(fileURLToPath(new URL(file, import.meta.url)), path.join(clone, 'scripts', file))
  lock('1.0.0')
  npm({})
})
afterEach(() => {
  rmSync(clone, { recursive: true, force: true })
})

const lockText = (version: string): string =>
  JSON.stringify({
    packages: {
      '': {},
      'node_modules/a': { version },
      'node_modules/only-elsewhere': { version: '1.0.0', optional: true },
    },
  })
const lock = (version: string): void => writeFileSync(path.join(clone, 'package-lock.json'), lockText(version))

function npm({ fails = false, withoutScripts = false }: { fails?: boolean; withoutScripts?: boolean }): void {
  writeFileSync(
    path.join(clone, 'npm.cjs'),
    `
    const fs = require('fs')
    fs.appendFileSync('calls', process.argv.slice(2).join(' ') + '\\n')
    console.log('added 2 packages')
    if (${fails}) { console.error('npm error network: the registry does not answer'); process.exit(1) }
    fs.mkdirSync('node_modules/node/bin', { recursive: true })
    fs.writeFileSync('node_modules/.package-lock.json', fs.readFileSync('package-lock.json'))
    const node = process.platform === 'win32' ? 'node.exe' : 'node'
    if (!${withoutScripts}) fs.writeFileSync('node_modules/node/bin/' + node, '')
  `,
  )
}
const calls = (): number =>
  existsSync(path.join(clone, 'calls')) ? readFileSync(path.join(clone, 'calls'), 'utf8').trim().split('\n').length : 0

async function prepare(
  purposes: readonly string[] = [],
  env: Readonly<Record<string, string>> = {},
  as: { readonly uid?: number; readonly gid?: number } = {},
): Promise<{ code: number | null; errors: string; output: string }> {
  const child = spawn(process.execPath, [path.join(clone, 'scripts', 'prepare.mjs'), ...purposes], {
    cwd: tmpdir(),
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, npm_execpath: path.join(clone, 'npm.cjs'), ...env },
    ...as,
  })
  const [stdout, stderr, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close') as Promise<[number | null]>,
  ])
  return { code, errors: stderr, output: stdout }
}

describe('the preparation of a clone', () => {
  it('installs the packages once with a message, then prints nothing', async () => {
    const first = await prepare()
    expect(first.code).toBe(0)
    // Nothing may be printed to standard output, which belongs to the following command: `npm run -s bench -- --json |
    // …`.
    expect(first.output).toBe('')
    expect(first.errors).toContain('Installing the packages of package-lock.json (npm ci)')
    expect(readFileSync(path.join(clone, 'calls'), 'utf8')).toMatch(/^ci --ignore-scripts .*\nrebuild node /)
    expect(await prepare()).toEqual({ code: 0, errors: '', output: '' })
    expect(calls()).toBe(2)
  })

  it('installs again when the lockfile changed', async () => {
    await prepare()
    lock('2.0.0')
    await prepare()
    expect(calls()).toBe(4)
  })

  it('keeps a manual installation of the same versions', async () => {
    mkdirSync(path.join(clone, 'node_modules', 'node', 'bin'), { recursive: true })
    writeFileSync(path.join(clone, 'node_modules', 'node', 'bin', 'node'), '')
    writeFileSync(
      path.join(clone, 'node_modules', '.package-lock.json'),
      JSON.stringify({ packages: { 'node_modules/a': { version: '1.0.0' } } }),
    )
    expect(await prepare()).toEqual({ code: 0, errors: '', output: '' })
    expect(calls()).toBe(0)
  })

  it('continues in a read-only clone of another user', async () => {
    await prepare()
    const modules = path.join(clone, 'node_modules')
    rmSync(path.join(modules, '.milepost-installed'))
    // Another user runs the command, because root can write everywhere.
    const other = process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {}
    chmodSync(clone, 0o755)
    chmodSync(modules, 0o555)
    try {
      expect(await prepare([], {}, other)).toEqual({ code: 0, errors: '', output: '' })
    } finally {
      chmodSync(modules, 0o755)
    }
    expect(existsSync(path.join(modules, '.milepost-installed'))).toBe(false)
  })

  it('prints the error and advice when npm fails, and retries the next time', async () => {
    npm({ fails: true })
    const failed = await prepare()
    expect(failed.code).toBe(1)
    expect(failed.errors).toContain('the registry does not answer')
    expect(failed.errors).toContain('npm ci failed (exit code 1)')
    npm({})
    expect((await prepare()).code).toBe(0)
  })

  it('reports that npm did not install Node 24', async () => {
    npm({ withoutScripts: true })
    const failed = await prepare()
    expect(failed.code).toBe(1)
    expect(failed.errors).toContain('Node 24 was not installed')
  })
})

describe('the preparation of the tests', () => {
  function onlyThese(...programs: string[]): { PATH: string } {
    const folder = path.join(clone, 'bin')
    mkdirSync(folder)
    for (const program of programs) writeFileSync(path.join(folder, program), '#!/bin/sh\n', { mode: 0o755 })
    return { PATH: folder }
  }

  it('prints nothing when a browser and every program is installed', async () => {
    await prepare()
    const everything = onlyThese('chromium', 'socat', 'strace', 'zbarimg', 'pdftoppm', 'spin', 'pg_ctlcluster')
    expect(await prepare(['browser'], everything)).toEqual({ code: 0, errors: '', output: '' })
  })

  const setupInstalls = (...programs: string[]): void =>
    writeFileSync(
      path.join(clone, 'scripts', 'setup.mjs'),
      `import { writeFileSync } from 'node:fs'
      console.log('setup', ...process.argv.slice(2))
      for (const name of ${JSON.stringify(programs)})
        writeFileSync(process.env.PATH + '/' + name, '', { mode: 0o755 })`,
    )

  it('installs missing test programs before the tests', async () => {
    await prepare()
    setupInstalls('chromium', 'strace', 'zbarimg')
    const { code, errors } = await prepare(['browser'], onlyThese('socat', 'pdftoppm', 'spin', 'postgres'))
    expect(code).toBe(0)
    expect(errors).toBe('[prepare] Not installed: a browser, strace, zbarimg.\nsetup --ask\n')
  })

  it('names test programs that could not be installed, and continues if there is a browser', async () => {
    await prepare()
    setupInstalls('chromium')
    const { code, errors } = await prepare(['browser'], onlyThese('socat', 'strace', 'pdftoppm', 'spin', 'postgres'))
    expect(code).toBe(0)
    expect(errors).toContain('[prepare] Not installed: zbarimg. The tests that need them are skipped.')
  })

  it('fails without a browser', async () => {
    await prepare()
    setupInstalls()
    const { code, errors } = await prepare(['browser'], onlyThese('socat', 'strace', 'pdftoppm', 'spin'))
    expect(code).toBe(1)
    expect(errors).toContain('The tests cannot run without a browser.')
  })

  it('does not require a browser for tests of the code only', async () => {
    await prepare()
    setupInstalls('pg_ctlcluster')
    expect((await prepare(['tools'], onlyThese('socat', 'strace', 'zbarimg', 'pdftoppm', 'spin'))).code).toBe(0)
  })
})
