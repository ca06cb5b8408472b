import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { pathToFileURL } from 'node:url'

/**
 * A page that sends its window on to the terminal, with the launch token in the fragment. It lies in a file that only
 * its owner can read: what stands on a command line is in the list of processes, for everybody on the machine.
 */
export interface LaunchPage {
  readonly address: string
  remove(): void
}

export function writeLaunchPage(folder: string, launchUrl: string): LaunchPage {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const file = path.join(folder, 'open.html')
  // Anew: a file that was there keeps the rights that it had.
  rmSync(file, { force: true })
  const target = JSON.stringify(launchUrl).replaceAll('<', '\\u003c')
  const script = `<script>location.replace(${target})</script>`
  const page = `<!doctype html><meta charset="utf-8"><title>Milepost</title>${script}\n`
  writeFileSync(file, page, { mode: 0o600, flag: 'wx' })
  return { address: pathToFileURL(file).href, remove: () => rmSync(file, { force: true }) }
}
