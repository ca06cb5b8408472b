import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'

/**
 * `npm run lab -- access`: checks the accessibility of every screen fixture in both languages and in a test language
 * with longer texts. `npm run test:campaigns` runs a share of it.
 */
const FILES = ['access', 'pseudo-locale'].map((name) => `renderer/testing/${name}.campaign.test.ts`)
const root = fileURLToPath(new URL('..', import.meta.url))
const { status } = spawnSync(
  process.execPath,
  ['node_modules/vitest/vitest.mjs', 'run', ...FILES, ...process.argv.slice(2)],
  { cwd: root, stdio: 'inherit', env: { ...process.env, MILEPOST_CAMPAIGN: '1' } },
)
process.exit(status ?? 1)
