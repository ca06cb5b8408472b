import { spawn } from 'node:child_process'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { findBrowser } from '../../launcher/window/browser.ts'

const PROGRAM = fileURLToPath(new URL('../../backend/doctor.ts', import.meta.url))

/** Runs the backend's own program, and says which browser there is: the backend opens none. Resolves with its code. */
export function checkLane(args: readonly string[]): Promise<number> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [PROGRAM, ...args, `--browser=${findBrowser()?.name ?? ''}`], {
      stdio: 'inherit',
      windowsHide: true,
      cwd: path.resolve(),
    })
    child.once('error', reject)
    child.once('exit', (code) => resolve(code ?? 2))
  })
}
