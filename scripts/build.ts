import { rmSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { APP, buildPrograms, CRASH_PROGRAM, runNode } from './build-app.ts'

/**
 * `npm run build`: the lane's programs into build/app and its screens into build/renderer, from nothing; with `--stale`
 * only what is older than its sources. `--crash-program`: that of the crash tests alone; `--programs`: the lane's
 * programs alone.
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
