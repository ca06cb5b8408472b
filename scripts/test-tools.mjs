// What the tests need beside the packages: read by prepare.mjs, which says what is missing, and by setup.mjs, which
// installs it. Plain JavaScript for whatever Node the machine has (18 or later).
import { spawnSync } from 'node:child_process'
import { accessSync, constants } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

const root = path.resolve(fileURLToPath(new URL('..', import.meta.url)))
export const node24 = path.join(root, 'node_modules', 'node', 'bin', process.platform === 'win32' ? 'node.exe' : 'node')

/**
 * Program, Debian's package of it, what it is for, and by which other program it is known to be there where it is on
 * nobody's PATH. Tests that lack one are skipped and say so.
 */
export const TOOLS = [
  { program: 'socat', debian: 'socat', what: 'pseudo-terminals' },
  { program: 'strace', debian: 'strace', what: 'system calls, seen and failed' },
  { program: 'zbarimg', debian: 'zbar-tools', what: 'barcodes of printed receipts' },
  { program: 'pdftoppm', debian: 'poppler-utils', what: 'pages of PDF files' },
  { program: 'spin', debian: 'spin', what: 'models of protocols' },
  { program: 'postgres', debian: 'postgresql', what: 'the database of a store server', knownBy: 'pg_ctlcluster' },
]
/** The engine alone first: it is what the tests take where both are there. Its package is not in every Debian. */
export const BROWSERS = ['chromium-headless-shell', 'chromium']

/** True when a program of this name is on the PATH. */
export function isThere(program) {
  return (process.env.PATH ?? '').split(path.delimiter).some((folder) => {
    if (folder === '') return false
    try {
      accessSync(path.join(folder, program), constants.X_OK)
      return true
    } catch {
      return false
    }
  })
}

export const missingTools = () =>
  TOOLS.filter(({ program, knownBy = program }) => !isThere(program) && !isThere(knownBy))

/** True when there is a browser for the tests: the system's, or Playwright's own, which has to start to count. */
export const hasBrowser = () => BROWSERS.some(isThere) || playwrightStarts()

const START_AND_END = `
  const { chromium } = await import('@playwright/test')
  const browser = await chromium.launch({ args: process.getuid?.() === 0 ? ['--no-sandbox'] : [] })
  await browser.close()
`
const playwrightStarts = () =>
  spawnSync(node24, ['--input-type=module', '--eval', START_AND_END], { cwd: root, stdio: 'ignore', timeout: 60_000 })
    .status === 0
