// Programs that the tests need in addition to the npm packages, used by prepare.mjs and setup.mjs. Plain JavaScript for
// any Node from version 18.
import { spawnSync } from 'node:child_process'
import { accessSync, constants } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

const root = path.resolve(fileURLToPath(new URL('..', import.meta.url)))
export const node24 = path.join(root, 'node_modules', 'node', 'bin', process.platform === 'win32' ? 'node.exe' : 'node')

/**
 * Each program with its Debian package, its purpose, and `knownBy`: another program that proves the installation if
 * this one is not in the PATH. Tests that lack a program are skipped with a message.
 */
export const TOOLS = [
  { program: 'socat', debian: 'socat', what: 'pseudo-terminals' },
  { program: 'strace', debian: 'strace', what: 'tracing and failing of system calls' },
  { program: 'zbarimg', debian: 'zbar-tools', what: 'barcodes of printed receipts' },
  { program: 'pdftoppm', debian: 'poppler-utils', what: 'pages of PDF files' },
  { program: 'spin', debian: 'spin', what: 'models of protocols' },
  { program: 'postgres', debian: 'postgresql', what: 'the database of a store server', knownBy: 'pg_ctlcluster' },
]
/**
 * Browsers in the order in which the tests prefer them: the headless shell first. Older Debian releases have no package
 * of it.
 */
export const BROWSERS = ['chromium-headless-shell', 'chromium']

/** Whether a program of this name is in the PATH. */
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

/** Whether there is a browser for the tests: that of the system, or Playwright’s if it starts. */
export const hasBrowser = () => BROWSERS.some(isThere) || playwrightStarts()

const START_AND_END = `
  const { chromium } = await import('@playwright/test')
  const browser = await chromium.launch({ args: process.getuid?.() === 0 ? ['--no-sandbox'] : [] })
  await browser.close()
`
const playwrightStarts = () =>
  spawnSync(node24, ['--input-type=module', '--eval', START_AND_END], { cwd: root, stdio: 'ignore', timeout: 60_000 })
    .status === 0
