import type { LocalizedError } from '../../../contracts/core/refusal.ts'
import { refused } from '../log.ts'
import type { Postgres } from './postgres.ts'

/** Rejects with a readable error unless the database user owns the tables. */
export async function needOwner(postgres: Postgres): Promise<void> {
  const { rows } = await postgres.query<{ owns: boolean }>(
    `SELECT pg_has_role(current_user, relowner, 'MEMBER') AS owns FROM pg_class WHERE oid = to_regclass('stream')`,
  )
  if (rows[0]?.owns !== true) throw refused('notOwner', { place: postgres.place })
}

/** Reads the owner of the tables, or of the database if it has no tables. Every role may read this. */
const OWNER = `SELECT pg_get_userbyid(owner) AS owner, owner <> pg_roles.oid AS "isOther", rolsuper AS "isSuperuser"
  FROM pg_roles CROSS JOIN (SELECT coalesce(
    (SELECT relowner FROM pg_class WHERE oid = to_regclass('schema_migration')),
    (SELECT datdba FROM pg_database WHERE datname = current_database())) AS owner) AS tables
  WHERE rolname = current_user`
const OF_ANOTHER = `SELECT tablename AS "table", tableowner AS owner FROM pg_tables
  WHERE schemaname = 'public' AND tableowner <> current_user ORDER BY tablename LIMIT 1`

async function ownerOfTables(postgres: Postgres) {
  const { rows } = await postgres.query<{ owner: string; isOther: boolean; isSuperuser: boolean }>(OWNER)
  if (rows[0] === undefined) throw new Error('every user is a role')
  return rows[0]
}

/**
 * Rejects a superuser when another role owns the tables: that owner and its servers could not read tables that a
 * superuser creates.
 */
export async function needNoOtherOwner(postgres: Postgres): Promise<void> {
  const { owner, isOther, isSuperuser } = await ownerOfTables(postgres)
  if (isSuperuser && isOther) throw refused(['tablesSuperuser', 'tablesAsOwner'], { place: postgres.place, owner })
}

export async function notAllowed(postgres: Postgres, cause: Error): Promise<LocalizedError> {
  const { place } = postgres
  const { owner, isOther } = await ownerOfTables(postgres)
  const [strays] = (await postgres.query<{ table: string; owner: string }>(OF_ANOTHER)).rows
  // Another role, usually a superuser, created this table: the owner of the other tables has no rights on it.
  if (!isOther && strays) return refused(['tableOfAnother', 'tableOfAnotherDo'], { place, ...strays }, { cause })
  return refused(['tablesOther', 'tablesAsOwner'], { place, owner }, { cause })
}
