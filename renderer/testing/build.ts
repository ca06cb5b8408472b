import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** Where the screens lie as a store runs them. */
export const BUILT = fileURLToPath(new URL('../../build/renderer', import.meta.url))

/**
 * Once before all tests of a run: the screens as the sources are now. Does nothing, quickly, when they are that
 * already.
 */
export default function buildScreens(): void {
  execFileSync(process.execPath, ['scripts/prepare.mjs', 'screens'], {
    cwd: root,
    stdio: ['ignore', 'ignore', 'inherit'],
  })
}
