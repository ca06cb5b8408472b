import { readFileSync, readdirSync } from 'node:fs'
import path from 'node:path'
import { parse } from 'yaml'
import type { Localized } from '../../../../contracts/core/locales.ts'
import { Profile } from '../../../../contracts/core/profile.ts'
import { needFolder } from '../../../../scripts/command-line.ts'
import type { ProfileChecker } from '../check-profile.ts'
import { EnrolError, type Translate, joined, refused, localizedMistake } from './options.ts'
import type { ListedCode } from '../../../store-server/enrolment/enrolment.sql.ts'

export type Store = Pick<Profile, 'store' | 'lanes' | 'staff' | 'locales' | 'timeZone' | 'limits' | 'mode'>

export interface ReadStores {
  readonly stores: readonly Store[]
  readonly problems: readonly Localized[]
}

/**
 * Reads every profile in the folder, with the lane's own checks. Reports and skips broken profiles. Skips training
 * stores unless `withTraining`. Throws EnrolError if no store remains.
 */
export async function readStores(folder: string, checker: ProfileChecker, withTraining: boolean): Promise<ReadStores> {
  needFolder(folder)
  const files = readdirSync(folder).filter((name) => /\.ya?ml$/.test(name))
  if (files.length === 0) throw refused('noProfile', { folder })
  const read: { readonly file: string; readonly profile: Store }[] = []
  const problems: Localized[] = []
  for (const name of files.toSorted()) {
    const file = path.join(folder, name)
    const { mistakes } = await checker.ask({ kind: 'store', file })
    if (mistakes.length > 0) problems.push(...mistakes.map(localizedMistake))
    else read.push({ file, profile: Profile.parse(parse(readFileSync(file, 'utf8'))) })
  }
  const stores = read.flatMap(({ file, profile }) => {
    const { id } = profile.store
    if (profile.mode === 'training' && !withTraining) return []
    const isTwice = read.some((other) => other.file !== file && other.profile.store.id === id)
    const isNamable = /^[\w.-]{1,80}$/.test(id)
    if (!isNamable) problems.push(refused('sheetName', { file, store: id }).messages)
    else if (isTwice) problems.push(refused('storeTwice', { file, store: id }).messages)
    return isNamable && !isTwice ? [profile] : []
  })
  if (stores.length > 0) return { stores, problems }
  throw problems.length > 0 ? new EnrolError(joined(problems)) : refused('allTraining', { folder })
}

export const isInUse = ({ exchangedAt, tokenEndedAt }: ListedCode): boolean =>
  exchangedAt !== null && tokenEndedAt === null

export function stateOf(code: ListedCode, now: number) {
  if (code.tokenEndedAt !== null) return 'ended'
  if (code.confirmedAt !== null) return 'enrolled'
  if (code.exchangedAt !== null) return 'exchanged'
  if (code.revokedAt !== null) return 'revoked'
  if (code.expiresAt <= now) return 'expired'
  // A code without its payload is locked: an earlier version deleted the payload after five wrong attempts.
  if (code.sealed === null) return 'locked'
  return code.wrong > 0 ? 'waitsAfter' : 'waits'
}

export function listOf(codes: readonly ListedCode[], now: number, translate: Translate): string[] {
  const rows = codes.map((code) => [
    `${code.store}/${code.lane}`,
    code.id,
    translate(`state.${stateOf(code, now)}`, { wrong: code.wrong }),
    new Date(code.exchangedAt ?? code.expiresAt).toISOString(),
  ])
  const widths = [0, 1, 2].map((column) => Math.max(0, ...rows.map((row) => row[column]?.length ?? 0)))
  return rows.map((row) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  '))
}
