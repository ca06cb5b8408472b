import type { ListedCode } from '../../store-server/enrolment/repository.ts'
import type { Say } from './words.ts'

/** Whether a lane has used it, and is still known by what it got. */
export const isInUse = ({ exchangedAt, tokenEndedAt }: ListedCode): boolean =>
  exchangedAt !== null && tokenEndedAt === null

/** What became of a code. */
export function stateOf(code: ListedCode, now: number) {
  if (code.tokenEndedAt !== null) return 'ended'
  if (code.confirmedAt !== null) return 'enrolled'
  if (code.exchangedAt !== null) return 'exchanged'
  if (code.revokedAt !== null) return 'revoked'
  if (code.expiresAt <= now) return 'expired'
  // By an earlier version, after five wrong tries.
  if (code.sealed === null) return 'locked'
  return code.wrong > 0 ? 'waitsAfter' : 'waits'
}

/** A line for each code, columns under each other. */
export function listOf(codes: readonly ListedCode[], now: number, say: Say): string[] {
  const rows = codes.map((code) => [
    `${code.store}/${code.lane}`,
    code.id,
    say(`state.${stateOf(code, now)}`, { wrong: code.wrong }),
    new Date(code.exchangedAt ?? code.expiresAt).toISOString(),
  ])
  const widths = [0, 1, 2].map((column) => Math.max(0, ...rows.map((row) => row[column]?.length ?? 0)))
  return rows.map((row) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  '))
}
