import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../..', import.meta.url))

export const BUILT = fileURLToPath(new URL('../../build/renderer', import.meta.url))

export default function buildScreens(): void {
  execFileSync(process.execPath, ['scripts/prepare.mjs', 'screens'], {
    cwd: root,
    stdio: ['ignore', 'ignore', 'inherit'],
  })
}
