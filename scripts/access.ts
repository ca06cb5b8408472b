import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'

/**
 * `npm run lab access`: every screen fixture tried for everybody, in both languages, and in one with longer words. A
 * share of them is part of `npm run test:campaigns`.
 */
const FILES = ['access', 'pseudo-locale'].map((name) => `renderer/testing/${name}.campaign.test.ts`)
const root = fileURLToPath(new URL('..', import.meta.url))
const { status } = spawnSync(
  process.execPath,
  ['node_modules/vitest/vitest.mjs', 'run', ...FILES, ...process.argv.slice(2)],
  { cwd: root, stdio: 'inherit', env: { ...process.env, MILEPOST_CAMPAIGN: '1' } },
)
process.exit(status ?? 1)
