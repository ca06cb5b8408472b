import { CreditCard } from 'lucide-react'
import { pay } from '../../state/sale-commands.ts'
import { ReferencePanel, type ReferencePanelProps } from './reference-panel.tsx'

const WORDS = {
  title: 'tender.cardTitle',
  reference: 'tender.reference',
  steps: 'tender.cardSteps',
  missing: 'tender.referenceMissing',
  amount: 'tender.cardAmount',
  take: 'tender.takeCard',
} as const

/** Card on a payment terminal that this program does not speak to: its slip has an approval number. */
export const CardPanel = ({ totals }: Pick<ReferencePanelProps, 'totals'>) => (
  <ReferencePanel
    totals={totals}
    icon={<CreditCard />}
    pattern={/./}
    longest={40}
    mayExceed
    words={WORDS}
    onTake={(slip) => pay({ kind: 'card', ...slip })}
  />
)
