import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'

/** What happens before the first `npm start` of a fresh clone, in a small clone of its own with a stand-in for npm. */
let clone: string
/** A user who owns nothing. */
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

/** Writes down each call; installs what the lockfile says, with the Node of its own that the real packages bring. */
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
): Promise<{ code: number | null; said: string; output: string }> {
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
  return { code, said: stderr, output: stdout }
}

describe('preparing a clone', () => {
  it('installs what is missing once, says so, and is silent from then on', async () => {
    const first = await prepare()
    expect(first.code).toBe(0)
    // Standard output belongs to the command that comes after: `npm run -s bench -- --json | …`.
    expect(first.output).toBe('')
    expect(first.said).toContain('Installing the packages of package-lock.json (npm ci)')
    expect(readFileSync(path.join(clone, 'calls'), 'utf8')).toMatch(/^ci --ignore-scripts .*\nrebuild node /)
    expect(await prepare()).toEqual({ code: 0, said: '', output: '' })
    expect(calls()).toBe(2)
  })

  it('installs again when the lockfile changed', async () => {
    await prepare()
    lock('2.0.0')
    await prepare()
    expect(calls()).toBe(4)
  })

  it('leaves alone what a person installed to the same versions', async () => {
    mkdirSync(path.join(clone, 'node_modules', 'node', 'bin'), { recursive: true })
    writeFileSync(path.join(clone, 'node_modules', 'node', 'bin', 'node'), '')
    writeFileSync(
      path.join(clone, 'node_modules', '.package-lock.json'),
      JSON.stringify({ packages: { 'node_modules/a': { version: '1.0.0' } } }),
    )
    expect(await prepare()).toEqual({ code: 0, said: '', output: '' })
    expect(calls()).toBe(0)
  })

  it('goes on in a checkout of another user, where it may write nothing', async () => {
    await prepare()
    const modules = path.join(clone, 'node_modules')
    rmSync(path.join(modules, '.milepost-installed'))
    // Root may write everywhere, so that somebody else takes its place.
    const other = process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {}
    chmodSync(clone, 0o755)
    chmodSync(modules, 0o555)
    try {
      expect(await prepare([], {}, other)).toEqual({ code: 0, said: '', output: '' })
    } finally {
      chmodSync(modules, 0o755)
    }
    expect(existsSync(path.join(modules, '.milepost-installed'))).toBe(false)
  })

  it('says what failed and what to do when npm fails, and tries again the next time', async () => {
    npm({ fails: true })
    const failed = await prepare()
    expect(failed.code).toBe(1)
    expect(failed.said).toContain('the registry does not answer')
    expect(failed.said).toContain('npm ci failed (exit code 1)')
    npm({})
    expect((await prepare()).code).toBe(0)
  })

  it('notices that the Node 24 that everything runs on was not laid down', async () => {
    npm({ withoutScripts: true })
    const failed = await prepare()
    expect(failed.code).toBe(1)
    expect(failed.said).toContain('The Node 24 that Milepost runs on was not installed')
  })
})

describe('preparing the tests', () => {
  /** A PATH with stand-ins of these programs and nothing else. */
  function onlyThese(...programs: string[]): { PATH: string } {
    const folder = path.join(clone, 'bin')
    mkdirSync(folder)
    for (const program of programs) writeFileSync(path.join(folder, program), '#!/bin/sh\n', { mode: 0o755 })
    return { PATH: folder }
  }

  it('is silent when a browser and every program is there', async () => {
    await prepare()
    const everything = onlyThese('chromium', 'socat', 'strace', 'zbarimg', 'pdftoppm', 'spin', 'pg_ctlcluster')
    expect(await prepare(['browser'], everything)).toEqual({ code: 0, said: '', output: '' })
  })

  /** Stands in for setup.mjs: installs these programs, and records how it was called. */
  const setupInstalls = (...programs: string[]): void =>
    writeFileSync(
      path.join(clone, 'scripts', 'setup.mjs'),
      `import { writeFileSync } from 'node:fs'
      console.log('setup', ...process.argv.slice(2))
      for (const name of ${JSON.stringify(programs)})
        writeFileSync(process.env.PATH + '/' + name, '', { mode: 0o755 })`,
    )

  it('installs what is missing before the tests', async () => {
    await prepare()
    setupInstalls('chromium', 'strace', 'zbarimg')
    const { code, said } = await prepare(['browser'], onlyThese('socat', 'pdftoppm', 'spin', 'postgres'))
    expect(code).toBe(0)
    expect(said).toBe('[prepare] Not installed: a browser, strace, zbarimg.\nsetup --ask\n')
  })

  it('names what could not be installed and continues with a browser', async () => {
    await prepare()
    setupInstalls('chromium')
    const { code, said } = await prepare(['browser'], onlyThese('socat', 'strace', 'pdftoppm', 'spin', 'postgres'))
    expect(code).toBe(0)
    expect(said).toContain('[prepare] Not installed: zbarimg. The tests that need them are skipped.')
  })

  it('fails without a browser', async () => {
    await prepare()
    setupInstalls()
    const { code, said } = await prepare(['browser'], onlyThese('socat', 'strace', 'pdftoppm', 'spin'))
    expect(code).toBe(1)
    expect(said).toContain('The tests cannot run without a browser.')
  })

  it('asks for no browser where none is needed', async () => {
    await prepare()
    setupInstalls('pg_ctlcluster')
    expect((await prepare(['tools'], onlyThese('socat', 'strace', 'zbarimg', 'pdftoppm', 'spin'))).code).toBe(0)
  })
})
