import { rmSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { APP, buildPrograms, CRASH_PROGRAM, runNode } from './build-app.ts'

/**
 * `npm run build`: builds the lane's programs into build/app and its screens into build/renderer from scratch; with
 * `--stale`, only outputs whose sources have changed. `--crash-program`: only the program of the crash tests;
 * `--programs`: only the lane's programs.
 */
const root = fileURLToPath(new URL('..', import.meta.url))
const onlyWhenStale = process.argv.includes('--stale')
if (process.argv.includes('--crash-program')) {
  await buildPrograms(CRASH_PROGRAM, { onlyWhenStale, log: console.log })
} else {
  await buildPrograms(APP, { onlyWhenStale, log: console.log })
}
if (!process.argv.includes('--crash-program') && !process.argv.includes('--programs')) {
  if (!onlyWhenStale) rmSync(path.join(root, 'build', 'renderer'), { recursive: true, force: true })
  await runNode('the build of the screens', path.join(root, 'scripts', 'prepare.mjs'), ['screens'])
}
