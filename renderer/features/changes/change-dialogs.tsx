import type { Sale } from '../../../contracts/api/sales.ts'
import { useWords } from '../../i18n/words.tsx'
import { amountOfLine } from '../../state/line-amounts.ts'
import { useApproval } from '../../state/approvals.ts'
import { useChanges, type ChangeDialog } from '../../state/changes.ts'
import { useSale } from '../../state/sale.ts'
import { ChangesMenu } from './changes-menu.tsx'
import { DiscountDialog } from './discount-dialog.tsx'
import { AskPriceDialog, PriceDialog } from './price-dialog.tsx'
import { CouponDialog, ExemptionDialog, NoteDialog } from './text-dialogs.tsx'

/**
 * The one dialog of a change that is open, if any: a supervisor goes first, then what the cashier is changing, then
 * what a scan asks for.
 */
export function ChangeDialogs() {
  const { dialog, unpriced } = useChanges()
  const approving = useApproval(({ asked }) => asked !== null)
  const sale = useSale((state) => state.current)
  const [item] = unpriced
  if (approving) return null
  if (dialog && sale) return <Opened key={dialog.kind} dialog={dialog} sale={sale} />
  return item ? <AskPriceDialog key={`${item.sku} ${unpriced.length}`} item={item} /> : null
}

function Opened({ dialog, sale }: { readonly dialog: ChangeDialog; readonly sale: Sale }) {
  const { format } = useWords()
  const selected = useSale((state) => state.selectedLine)
  const open = (number: number | null) => sale.lines.find((line) => line.number === number && !line.voided)
  switch (dialog.kind) {
    case 'menu':
      return <ChangesMenu sale={sale} line={open(selected)} />
    case 'coupon':
      return <CouponDialog />
    case 'exemption':
      return <ExemptionDialog known={sale.exemption} />
    case 'price': {
      const line = open(dialog.line)
      return line ? <PriceDialog line={line} /> : null
    }
    case 'discount': {
      const line = open(dialog.line)
      if (dialog.line !== null && !line) return null
      return (
        <DiscountDialog
          line={dialog.line}
          of={line ? format.text(line.name) : null}
          mostCents={line ? amountOfLine(sale, line) : sale.totals.subtotalCents}
        />
      )
    }
    case 'note': {
      const line = open(dialog.line)
      if (dialog.line !== null && !line) return null
      return (
        <NoteDialog line={dialog.line} of={line ? format.text(line.name) : null} note={line ? line.note : sale.note} />
      )
    }
  }
}
