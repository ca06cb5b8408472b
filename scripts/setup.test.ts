import { execFile } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'

/**
 * Prepares a machine with fake programs: its PATH is one folder, in which `apt-get` installs programs; its Node acts as
 * Playwright.
 */
let clone: string
let bin: string
beforeEach(() => {
  clone = mkdtempSync(path.join(tmpdir(), 'milepost-setup-'))
  bin = path.join(clone, 'bin')
  for (const folder of ['bin', 'scripts', 'node_modules/node/bin'])
    mkdirSync(path.join(clone, folder), { recursive: true })
  for (const file of ['setup.mjs', 'test-tools.mjs'])
    cpSync(fileURLToPath(new URL(file, import.meta.url)), path.join(clone, 'scripts', file))
})
afterEach(() => {
  rmSync(clone, { recursive: true, force: true })
})

const TOOLS = ['socat', 'strace', 'zbarimg', 'pdftoppm', 'spin', 'pg_ctlcluster']
const program = (file: string, ...lines: readonly string[]): void =>
  writeFileSync(file, ['#!/bin/sh', ...lines, ''].join('\n'), { mode: 0o755 })
const install = (...programs: readonly string[]): void => {
  for (const name of programs) program(path.join(bin, name))
}

function playwright({ network, libraries = true }: { network: boolean; libraries?: boolean }): void {
  program(
    path.join(clone, 'node_modules/node/bin/node'),
    `case "$*" in`,
    `  *install-deps*) echo "playwright install-deps" >> ${clone}/calls; : > ${clone}/libraries;;`,
    `  *install*) echo "playwright install" >> ${clone}/calls; ` +
      `${network ? `: > ${clone}/downloaded` : 'echo "getaddrinfo ENOTFOUND" >&2; exit 1'};;`,
    `  *) [ -e ${clone}/downloaded ] && [ -e ${clone}/libraries ];;`,
    'esac',
  )
  if (libraries) writeFileSync(path.join(clone, 'libraries'), '')
}

function aptGet(known: readonly string[]): void {
  program(
    path.join(bin, 'apt-get'),
    `echo "\${0##*/} $*" >> ${clone}/calls`,
    'case "$0" in *pg_conftool) exit 0;; esac',
    `case "$*" in *update*) : > ${clone}/updated; exit 0;; esac`,
    `[ -e ${clone}/updated ] || exit 100`,
    'names=',
    'for package in "$@"; do case "$package" in',
    '  -*|install|Acquire*) ;;',
    `  ${known.join('|')}) names="$names $package";;`,
    '  *) echo "E: Unable to locate package $package" >&2; exit 100;;',
    'esac; done',
    'for name in $names; do',
    '  case $name in zbar-tools) name=zbarimg;; poppler-utils) name=pdftoppm;; postgresql) name=pg_ctlcluster;;',
    '    postgresql-common) name=pg_conftool;; esac',
    `  /bin/cp -p "$0" ${bin}/$name`,
    'done',
  )
}

type Terminal = { readonly answer: string; readonly env?: Readonly<Record<string, string>> }
const setup = ({ root, terminal }: { root: boolean; terminal?: Terminal }): Promise<{ code: number; output: string }> =>
  new Promise((resolve) => {
    const tty = 'process.stdin.isTTY=process.stderr.isTTY=true'
    const machine = `data:text/javascript,process.getuid=()=>${root ? 0 : 1000};${terminal ? tty : ''}`
    const args = ['--import', machine, path.join(clone, 'scripts', 'setup.mjs'), ...(terminal ? ['--ask'] : [])]
    const env = { PATH: bin, ...terminal?.env }
    const child = execFile(process.execPath, args, { cwd: tmpdir(), env }, (error, stdout, stderr) => {
      resolve({ code: error ? Number(error.code) : 0, output: stdout + stderr })
    })
    child.stdin?.end(`${terminal?.answer ?? ''}\n`)
  })
const calls = (): string[] =>
  existsSync(path.join(clone, 'calls')) ? readFileSync(path.join(clone, 'calls'), 'utf8').trim().split('\n') : []
const POSTGRES = ['postgresql-common', 'postgresql']
const ALL = [
  'chromium',
  'chromium-headless-shell',
  'socat',
  'strace',
  'zbar-tools',
  'poppler-utils',
  'spin',
  ...POSTGRES,
]

describe.skipIf(process.platform === 'win32')('npm run setup', () => {
  it('changes nothing on a machine that has a browser and all programs', async () => {
    install('chromium', ...TOOLS)
    playwright({ network: true })
    aptGet(ALL)
    expect(await setup({ root: true })).toEqual({
      code: 0,
      output: '[setup] Everything for the tests is installed.\n',
    })
    expect(calls()).toEqual([])
  })

  it('installs the browser from Playwright', async () => {
    install(...TOOLS)
    playwright({ network: true })
    expect((await setup({ root: true })).code).toBe(0)
    expect(calls()).toEqual(['playwright install'])
  })

  it('installs missing libraries of a downloaded browser', async () => {
    install(...TOOLS)
    playwright({ network: true, libraries: false })
    aptGet(ALL)
    expect((await setup({ root: true })).code).toBe(0)
    expect(calls()).toEqual(['playwright install', 'playwright install-deps'])
  })

  it('installs everything on a fresh Debian that can reach only its package mirror', async () => {
    playwright({ network: false })
    aptGet(ALL)
    const { code, output } = await setup({ root: true })
    expect(code).toBe(0)
    expect(output).toContain('getaddrinfo ENOTFOUND')
    expect(output).toContain('Everything for the tests is installed.')
    for (const name of ['chromium', 'chromium-headless-shell', ...TOOLS])
      expect(existsSync(path.join(bin, name))).toBe(true)
    // Setup must create no database server on the machine.
    const ofPostgres = calls().filter((call) => call.startsWith('pg_conftool') || call.endsWith(' postgresql'))
    expect(ofPostgres).toEqual([
      'pg_conftool /etc/postgresql-common/createcluster.conf set create_main_cluster off',
      expect.stringMatching(/^apt-get .* install .* postgresql$/),
      'pg_conftool /etc/postgresql-common/createcluster.conf remove create_main_cluster',
    ])
  })

  it('installs the full browser on a Debian that has no headless shell', async () => {
    install(...TOOLS)
    playwright({ network: false })
    aptGet(ALL.filter((name) => name !== 'chromium-headless-shell'))
    expect((await setup({ root: true })).code).toBe(0)
    expect(existsSync(path.join(bin, 'chromium'))).toBe(true)
  })

  it('prints shell commands for root if it may not install programs, and fails only without a browser', async () => {
    playwright({ network: false })
    aptGet(ALL)
    const without = await setup({ root: false })
    expect(without.code).toBe(1)
    expect(without.output).toContain('As root: apt-get install socat strace zbar-tools poppler-utils spin postgresql')
    expect(without.output).toContain('There is no browser for the tests. As root: apt-get install chromium')
    expect(calls()).toEqual(['playwright install'])
    install('chromium')
    expect(await setup({ root: false })).toMatchObject({
      code: 0,
      output: expect.stringContaining('The tests can run.'),
    })
  })

  it('uses sudo for an ordinary user, without a password prompt if there is no console', async () => {
    install('chromium', ...TOOLS.filter((name) => name !== 'socat'))
    playwright({ network: true })
    aptGet(ALL)
    program(
      path.join(bin, 'sudo'),
      `echo "sudo $*" >> ${clone}/calls`,
      'while :; do case "$1" in -n|*=*) shift;; *) break;; esac; done',
      'exec "$@"',
    )
    expect((await setup({ root: false })).code).toBe(0)
    expect(existsSync(path.join(bin, 'socat'))).toBe(true)
    expect(calls()).toContainEqual(
      expect.stringMatching(/^sudo -n DEBIAN_FRONTEND=noninteractive apt-get .* install .* socat$/),
    )
  })

  it('asks once at a console before it changes the system; after a no it prints shell commands for root', async () => {
    playwright({ network: false })
    aptGet(ALL)
    const refused = await setup({ root: true, terminal: { answer: 'n' } })
    expect(refused.code).toBe(1)
    expect(refused.output.match(/with apt-get\? \[Y\/n\]/g)).toHaveLength(1)
    expect(refused.output).toContain('As root: apt-get install socat')
    expect(calls()).toEqual(['playwright install'])
    expect((await setup({ root: true, terminal: { answer: '' } })).code).toBe(0)
    expect(existsSync(path.join(bin, 'socat'))).toBe(true)
  })

  it.for(['CI', 'npm_config_yes'])('does not ask when the environment variable %s is set', async (name) => {
    install('chromium', ...TOOLS.filter((name) => name !== 'socat'))
    playwright({ network: true })
    aptGet(ALL)
    const { code, output } = await setup({ root: true, terminal: { answer: 'n', env: { [name]: 'true' } } })
    expect(code).toBe(0)
    expect(output).not.toContain('[Y/n]')
    expect(existsSync(path.join(bin, 'socat'))).toBe(true)
  })

  it('names missing programs on a system without apt-get', async () => {
    playwright({ network: true })
    const { code, output } = await setup({ root: true })
    expect(code).toBe(0)
    expect(output).toContain('Not installed: socat, strace, zbar-tools, poppler-utils, spin, postgresql')
    expect(output).toContain('Without them, npm test skips the tests that need them and reports this.')
  })
})
