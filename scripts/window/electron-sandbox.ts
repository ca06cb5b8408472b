import { readFileSync, statSync } from 'node:fs'
import path from 'node:path'

/** What is asked of the system; a test answers instead. */
export interface SystemFacts {
  readonly platform: NodeJS.Platform
  readonly uid: number | undefined
  /** The text of a file, or null when there is none. */
  readonly read: (file: string) => string | null
  readonly stat: (file: string) => { readonly uid: number; readonly mode: number } | null
}

function orNull<T>(look: () => T): T | null {
  try {
    return look()
  } catch {
    return null
  }
}
const thisSystem: SystemFacts = {
  platform: process.platform,
  uid: process.getuid?.(),
  read: (file) => orNull(() => readFileSync(file, 'utf8')),
  stat: (file) => orNull(() => statSync(file)),
}

/** The settings of Linux that keep ordinary programs from making user namespaces, with the value that does. */
const CLOSED_BY = [
  ['/proc/sys/kernel/apparmor_restrict_unprivileged_userns', '1'],
  ['/proc/sys/kernel/unprivileged_userns_clone', '0'],
  ['/proc/sys/user/max_user_namespaces', '0'],
] as const

/**
 * Why Electron would abort for want of a sandbox, or null. Chromium builds its sandbox of unprivileged user
 * namespaces, which Ubuntu has closed since 23.10 (electron#42510), else of its helper `chrome-sandbox`, which then
 * must be root's, with its SUID bit. Milepost never answers this by switching the sandbox off.
 */
export function sandboxProblem(program: string, facts: SystemFacts = thisSystem): string | null {
  // As root there is no sandbox at all; the line that opens the window says so.
  if (facts.platform !== 'linux' || facts.uid === 0) return null
  const closed = CLOSED_BY.find(([file, value]) => facts.read(file)?.trim() === value)
  if (closed === undefined) return null
  const helper = path.join(path.dirname(program), 'chrome-sandbox')
  const found = facts.stat(helper)
  if (found !== null && found.uid === 0 && (found.mode & 0o7777) === 0o4755) return null
  const setting = closed[0].slice('/proc/sys/'.length).replaceAll('/', '.')
  return `its sandbox cannot start: ${setting} is ${closed[1]}, and ${helper} is not root’s with mode 4755`
}
