import { existsSync, readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'

export interface ScreensBuild {
  readonly scriptKb: number
  /** True for React’s development build, which is several times slower and which no store uses. */
  readonly development: boolean
}

/** Text in a script that marks React’s development build: only this build names React’s browser extension. */
const DEVELOPMENT_MARKER = 'React DevTools'

/** Throws an Error if the folder has no build of the screens. */
export function readScreensBuild(folder: string): ScreensBuild {
  if (!existsSync(path.join(folder, 'index.html')))
    throw new Error(`There are no built screens in ${folder}. Run: npm run build`)
  const scripts = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.js'))
    .map((entry) => readFileSync(path.join(entry.parentPath, entry.name), 'utf8'))
  return {
    scriptKb: Math.round(scripts.reduce((sum, script) => sum + Buffer.byteLength(script), 0) / 1_000),
    development: scripts.some((script) => script.includes(DEVELOPMENT_MARKER)),
  }
}
