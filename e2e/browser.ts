import { existsSync } from 'node:fs'

/**
 * The engine without the windows, bars and services of the browser around it, which cost a test a sixth of its time;
 * where only the whole browser is, that; else Playwright's own.
 */
const [executablePath] = ['/usr/bin/chromium-headless-shell', '/usr/bin/chromium'].filter((program) =>
  existsSync(program),
)
/** Keeps the browser from looking for networks that a till does not have. */
const QUIET = [
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--disable-gpu',
]

/** How tests start the browser. Root's browser has no sandbox: Chromium refuses to start with one. */
export const BROWSER = {
  ...(executablePath === undefined ? {} : { executablePath }),
  args: [...QUIET, ...(process.getuid?.() === 0 ? ['--no-sandbox'] : [])],
}
