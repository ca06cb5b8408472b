import { existsSync } from 'node:fs'
import path from 'node:path'

/**
 * The system's, as `scripts/test-tools.mjs` looks for it: the engine without the windows, bars and services of the
 * browser
 * around it, which cost a test a sixth of its time; where only the whole browser is, that; else Playwright's own.
 */
const folders = (process.env['PATH'] ?? '').split(path.delimiter).filter((folder) => folder !== '')
const executablePath = ['chromium-headless-shell', 'chromium']
  .flatMap((program) => folders.map((folder) => path.join(folder, program)))
  .find((program) => existsSync(program))
/** Keeps the browser from looking for networks that a lane does not have. */
const QUIET = [
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--disable-gpu',
]

/**
 * A page of a test lives for seconds: what V8's optimizing compilers make of its scripts costs more than it saves
 * before the page is gone.
 */
const SHORT_LIVED = '--js-flags=--no-maglev --no-turbofan'

/** Of every browser that we start. Root's has no sandbox: Chromium refuses to start with one. */
export const BROWSER_ARGS = [...QUIET, ...(process.getuid?.() === 0 ? ['--no-sandbox'] : [])]
/** How tests start the browser. */
export const BROWSER = {
  ...(executablePath === undefined ? {} : { executablePath }),
  args: [...BROWSER_ARGS, SHORT_LIVED],
}
