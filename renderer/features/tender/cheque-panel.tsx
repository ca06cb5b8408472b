import { ScrollText } from 'lucide-react'
import { pay } from '../../state/sale-commands.ts'
import { ReferencePanel, type ReferencePanelProps } from './reference-panel.tsx'

const WORDS = {
  title: 'tender.chequeTitle',
  reference: 'tender.chequeNumber',
  steps: 'tender.chequeSteps',
  missing: 'tender.chequeNumberMissing',
  amount: 'tender.chequeAmount',
  take: 'tender.takeCheque',
} as const

export const ChequePanel = ({ totals }: Pick<ReferencePanelProps, 'totals'>) => (
  <ReferencePanel
    totals={totals}
    icon={<ScrollText />}
    pattern={/^\d{1,10}$/}
    longest={10}
    words={WORDS}
    onTake={(cheque) => pay({ kind: 'cheque', ...cheque })}
  />
)
