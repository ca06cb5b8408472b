import type { Database } from '../db/open.ts'
import type { Seal } from '../outbox/seal.ts'
import { createHashChain, type ChainHead } from './hash-chain.ts'

/** An entry of the audit trail as its table has it. */
export interface AuditRow extends ChainHead {
  readonly at: number
  readonly kind: string
  readonly actorId: string | null
  readonly subject: string | null
  readonly detail: string
}

export type AuditChain = ReturnType<typeof createAuditChain>

/** The chain of the audit trail: every entry under the key, in the order in which they were written. */
export const createAuditChain = ({ db, seal }: { readonly db: Database; readonly seal: Pick<Seal, 'authenticator'> }) =>
  createHashChain<AuditRow>({
    db,
    table: 'audit_entry',
    number: 'id',
    columns: 'id AS seq, at, kind, actor_id AS actorId, subject, detail, hash',
    authenticate: seal.authenticator('chain of the audit trail'),
    textOf: ({ seq, at, kind, actorId, subject, detail }) => JSON.stringify([seq, at, kind, actorId, subject, detail]),
  })
