import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import type { BackupKind, ListedBackup } from '../../../contracts/operations/backups.ts'
import { CLOCK_SLACK_MS } from '../../../contracts/operations/kinds.ts'
import { isoOf } from '../clock.ts'

const KINDS: readonly (readonly [RegExp, BackupKind])[] = [
  [/^daily-\d{8}-\d{6}\.db$/, 'daily'],
  [/^closing-\d{8}-\d{6}\.db$/, 'closing'],
  [/^hand-\d{8}-\d{6}\.db$/, 'hand'],
  [/^before-schema-\d+-\d+\.db$/, 'before-migration'],
  // Folder with the database that a restore replaced, and that database's mark.
  [/^replaced-[\w-]{1,60}$/, 'before-restore'],
]
const PROOFS = 'proofs.json'
const Proofs = z.record(z.string(), z.object({ at: z.string(), problem: z.string().nullable() }))
type Proofs = z.infer<typeof Proofs>

export const kindOf = (name: string): BackupKind | null => KINDS.find(([pattern]) => pattern.test(name))?.[1] ?? null

export const fileOf = (folder: string, name: string): string =>
  kindOf(name) === 'before-restore' ? join(folder, name, 'terminal.db') : join(folder, name)

/**
 * Returns all backups of the lane, newest first. Backups dated in the future come last: the clock was wrong when they
 * were made, so other backups may be newer.
 */
export function listBackups(folder: string): ListedBackup[] {
  if (!existsSync(folder)) return []
  const proofs = readProofs(folder)
  const latest = isoOf(Date.now() + CLOCK_SLACK_MS)
  return readdirSync(folder)
    .flatMap((name): ListedBackup[] => {
      const kind = kindOf(name)
      const file = fileOf(folder, name)
      if (kind === null || !existsSync(file)) return []
      const { size, mtimeMs } = statSync(file)
      const proof = proofs[name]
      return [
        {
          name,
          kind,
          at: isoOf(mtimeMs),
          bytes: size,
          proof: proof
            ? { state: proof.problem === null ? 'held' : 'broken', ...proof }
            : { state: 'none', at: null, problem: null },
        },
      ]
    })
    .toSorted(
      (one, other) =>
        Number(one.at > latest) - Number(other.at > latest) ||
        other.at.localeCompare(one.at) ||
        other.name.localeCompare(one.name),
    )
}

export function noteProof(folder: string, name: string, proof: Proofs[string]): void {
  const remaining = Object.entries(readProofs(folder)).filter(([known]) => existsSync(fileOf(folder, known)))
  try {
    writeFileSync(join(folder, PROOFS), `${JSON.stringify({ ...Object.fromEntries(remaining), [name]: proof })}\n`, {
      mode: 0o600,
    })
  } catch {
    // A verification result that cannot be stored is ignored: the backup remains and can be verified again.
  }
}

function readProofs(folder: string): Proofs {
  try {
    return Proofs.safeParse(JSON.parse(readFileSync(join(folder, PROOFS), 'utf8'))).data ?? {}
  } catch {
    return {}
  }
}
