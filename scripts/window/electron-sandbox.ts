import { readFileSync, statSync } from 'node:fs'
import path from 'node:path'

export interface SystemFacts {
  readonly platform: NodeJS.Platform
  readonly uid: number | undefined
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

/** Linux settings that keep ordinary programs from creating user namespaces, each with the value that does so. */
const CLOSED_BY = [
  ['/proc/sys/kernel/apparmor_restrict_unprivileged_userns', '1'],
  ['/proc/sys/kernel/unprivileged_userns_clone', '0'],
  ['/proc/sys/user/max_user_namespaces', '0'],
] as const

/**
 * Explains why Electron would abort without a sandbox, or returns null. Chromium's sandbox needs unprivileged user
 * namespaces, which Ubuntu restricts since 23.10 (electron#42510), or the helper `chrome-sandbox` owned by root with
 * its SUID bit. Milepost never disables the sandbox instead.
 */
export function sandboxProblem(program: string, facts: SystemFacts = thisSystem): string | null {
  // Root runs Electron without the sandbox anyway; the message about the window reports that.
  if (facts.platform !== 'linux' || facts.uid === 0) return null
  const closed = CLOSED_BY.find(([file, value]) => facts.read(file)?.trim() === value)
  if (closed === undefined) return null
  const helper = path.join(path.dirname(program), 'chrome-sandbox')
  const found = facts.stat(helper)
  if (found !== null && found.uid === 0 && (found.mode & 0o7777) === 0o4755) return null
  const setting = closed[0].slice('/proc/sys/'.length).replaceAll('/', '.')
  return `its sandbox cannot start: ${setting} is ${closed[1]}, and ${helper} is not root’s with mode 4755`
}
