import { existsSync, readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'

export interface ScreensBuild {
  readonly scriptKb: number
  /** React's development build checks itself at every render: several times slower, and never what a store runs. */
  readonly development: boolean
}

/** Only React's development build speaks of its browser extension. */
const DEVELOPMENT_WORDS = 'React DevTools'

/** What kind of build lies in a folder. Throws an Error when none does. */
export function readScreensBuild(folder: string): ScreensBuild {
  if (!existsSync(path.join(folder, 'index.html')))
    throw new Error(`there are no built screens in ${folder}; build them with: npm run build`)
  const scripts = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.js'))
    .map((entry) => readFileSync(path.join(entry.parentPath, entry.name), 'utf8'))
  return {
    scriptKb: Math.round(scripts.reduce((sum, script) => sum + Buffer.byteLength(script), 0) / 1_000),
    development: scripts.some((script) => script.includes(DEVELOPMENT_WORDS)),
  }
}
