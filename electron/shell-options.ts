import path from 'node:path'
import { parseArgs } from 'node:util'

/** What the installer puts on the lane instead of opening the terminal. The value itself never stands among the arguments. */
export type ProvisionOrder = { readonly kind: 'secret' } | { readonly kind: 'pin'; readonly staffId: string }

export interface ShellOptions {
  /** Null in a package, which sells for the one store whose profile it carries. */
  readonly profile: string | null
  readonly data: string | null
  readonly lane: string | null
  readonly kiosk: boolean
  readonly provision: ProvisionOrder | null
}

/**
 * Reads the shell's own arguments. Chromium's switches may stand among them, so unknown ones are left alone; but a
 * package takes no other profile than its own. Throws an Error in plain words.
 */
export function readShellOptions(args: readonly string[], packaged: boolean): ShellOptions {
  const { values } = parseArgs({
    args: [...args],
    strict: false,
    options: { profile: { type: 'string' }, data: { type: 'string' }, lane: { type: 'string' }, kiosk: { type: 'boolean' }, 'provision-secret': { type: 'boolean' }, 'set-pin': { type: 'string' } },
  })
  const text = (name: 'profile' | 'data' | 'lane' | 'set-pin'): string | null => {
    const value = values[name]
    if (value === undefined) return null
    if (typeof value !== 'string' || value === '') throw new Error(`--${name} needs a value.`)
    return value
  }
  const profile = text('profile')
  const data = text('data')
  const secret = values['provision-secret'] === true
  const staffId = text('set-pin')
  if (secret && staffId !== null) throw new Error('--provision-secret and --set-pin read one value each: give one of them.')
  if (packaged && profile !== null) throw new Error('This package carries the profile of its store: --profile is not accepted.')
  if (!packaged && profile === null) throw new Error('--profile is needed.')
  return {
    profile: profile === null ? null : path.resolve(profile),
    data: data === null ? null : path.resolve(data),
    lane: text('lane'),
    kiosk: values['kiosk'] === true,
    provision: secret ? { kind: 'secret' } : staffId === null ? null : { kind: 'pin', staffId },
  }
}
