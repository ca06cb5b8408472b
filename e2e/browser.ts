import { existsSync } from 'node:fs'
import path from 'node:path'

/**
 * Prefers the system's headless shell (`scripts/test-tools.mjs` looks for the same one), which saves a sixth of a
 * test's time; then the full browser; else Playwright's own.
 */
const folders = (process.env['PATH'] ?? '').split(path.delimiter).filter((folder) => folder !== '')
const executablePath = ['chromium-headless-shell', 'chromium']
  .flatMap((program) => folders.map((folder) => path.join(folder, program)))
  .find((program) => existsSync(program))
/** Keeps the browser from looking for networks, which a lane does not have. */
const QUIET = [
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--disable-gpu',
]

/** Test pages live only for seconds, in which V8's optimizing compilers cost more than they save. */
const SHORT_LIVED = '--js-flags=--no-maglev --no-turbofan'

/** Arguments of every browser that the tests start. Chromium refuses to start as root with a sandbox. */
export const BROWSER_ARGS = [...QUIET, ...(process.getuid?.() === 0 ? ['--no-sandbox'] : [])]
export const BROWSER = {
  ...(executablePath === undefined ? {} : { executablePath }),
  args: [...BROWSER_ARGS, SHORT_LIVED],
}
