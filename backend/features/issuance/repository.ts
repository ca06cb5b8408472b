import { z } from 'zod'
import { PartnerRule } from '../../../contracts/profile.ts'
import type { Database } from '../../db/open.ts'
import type { Tx } from '../../db/transact.ts'

const Rules = z.array(PartnerRule)

export type RulesRepository = ReturnType<typeof createRulesRepository>

/**
 * The rules of partner-calculated miles under which sales were made: a return goes by them, whatever the profile says
 * by then.
 */
export function createRulesRepository(db: Database) {
  const insert = db.prepare('INSERT INTO partner_rules (rules) VALUES (?) ON CONFLICT (rules) DO NOTHING')
  const assign = db.prepare(
    'UPDATE sale SET partner_rules_id = (SELECT id FROM partner_rules WHERE rules = ?) WHERE id = ?',
  )
  const select = db.prepare<[string], { rules: string }>(
    `SELECT partner_rules.rules AS rules FROM sale JOIN partner_rules ON partner_rules.id = sale.partner_rules_id
      WHERE sale.id = ?`,
  )
  return {
    /** Ties a sale to the rules under which it earned. */
    keep(tx: Tx, saleId: string, rules: readonly PartnerRule[]): void {
      const text = JSON.stringify(rules)
      tx.run(insert, text)
      tx.run(assign, text, saleId)
    },
    /** Empty for a sale whose miles the program calculated. */
    ofSale(saleId: string): PartnerRule[] {
      const row = select.get(saleId)
      return row ? Rules.parse(JSON.parse(row.rules)) : []
    },
  }
}
