import { join } from 'node:path'
import Database from 'better-sqlite3'
import { CASH_PATHS } from '../contracts/central/cash.ts'
import { ISSUANCE_PATHS } from '../contracts/central/issuance.ts'
import type { Central } from '../packages/lab/rig/central.ts'

export const PATHS = {
  ...CASH_PATHS,
  issue: ISSUANCE_PATHS.issue,
  return: ISSUANCE_PATHS.return,
  calculate: ISSUANCE_PATHS.calculate,
}

/** The compiled reference services, built by `e2e/build.ts`. They start faster than the sources. */
export const SERVICES = 'build/app/central/main.js'

export const memberTokens = (central: Central): string[] => artifactsIn(central, 'AccessToken').map(({ id }) => id)

export const memberCodes = (central: Central): { readonly deviceCode: string; readonly userCode: string }[] =>
  artifactsIn(central, 'DeviceCode').map(({ id, userCode }) => ({ deviceCode: id, userCode: userCode ?? '' }))

function artifactsIn({ folder }: Central, model: string): { readonly id: string; readonly userCode: string | null }[] {
  const db = new Database(join(folder, 'central.db'), { readonly: true })
  try {
    return db
      .prepare<[string, number], { id: string; userCode: string | null }>(
        `SELECT id, user_code AS userCode FROM oidc_artifact WHERE model = ? AND expires_at > ?
         ORDER BY expires_at`,
      )
      .all(model, Date.now())
  } finally {
    db.close()
  }
}
