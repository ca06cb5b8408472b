import { ReceiptText, StickyNote, TicketPercent, UsersRound } from 'lucide-react'
import { useEffect, useState, type ReactNode, type RefObject } from 'react'
import { FieldError, Form, Input, Label, TextField } from 'react-aria-components'
import type { BuyerGroup, Exemption } from '../../../contracts/sales/sale-changes.ts'
import type { SaleLine } from '../../../contracts/sales/sales.ts'
import { useI18n } from '../../core/i18n/i18n.ts'
import { setBuyers, setExemption, setNote, takeCoupon } from './change-commands.ts'
import { closeChange } from '../changes.ts'
import { useSale } from '../sale.ts'
import { Button } from '../../core/ui/button.tsx'
import { Dialog } from '../../core/ui/dialog.tsx'
import { PaperWarning } from '../../core/ui/paper-warning.tsx'
import { useTries } from '../../core/ui/focus.ts'
import styles from './changes.module.css'
import { BUYERS, Choice, EXEMPTION_REASONS, RELIEFS } from './changes-menu.tsx'

const LONGEST_CODE = 64
const LONGEST_CERTIFICATE = 40
const LONGEST_NOTE = 120

function TextDialog({
  title,
  confirm,
  icon,
  onConfirm,
  form,
  size = 's',
  children,
}: {
  readonly title: string
  readonly confirm: string
  readonly icon: ReactNode
  readonly onConfirm: () => void
  readonly form?: RefObject<HTMLFormElement | null>
  readonly size?: 's' | 'l'
  readonly children: ReactNode
}) {
  const { t } = useI18n()
  return (
    <Dialog open onClose={closeChange} title={title} size={size}>
      <Form
        {...(form ? { ref: form } : {})}
        className="stack-4"
        validationBehavior="aria"
        onSubmit={(event) => {
          event.preventDefault()
          onConfirm()
        }}
      >
        {children}
        <div className="stack-3 foot">
          <Button size="l" onPress={closeChange}>
            {t('actions.back')}
          </Button>
          <Button size="l" look="primary" type="submit" icon={icon}>
            {confirm}
          </Button>
        </div>
      </Form>
    </Dialog>
  )
}

export function CouponDialog() {
  const { t } = useI18n()
  const [code, setCode] = useState('')
  const { tried, attempt, form } = useTries()
  const missing = code.trim() === ''
  const coupons = useSale(({ current }) => current?.discounts.filter(({ coupon }) => coupon !== null).length ?? 0)
  const [atFirst] = useState(coupons)
  // A scanned coupon answers the question, too: the dialog closes.
  useEffect(() => {
    if (coupons > atFirst) closeChange()
  }, [coupons, atFirst])
  return (
    <TextDialog
      title={t('coupon.title')}
      confirm={t('coupon.take')}
      icon={<TicketPercent />}
      form={form}
      onConfirm={() => {
        attempt()
        if (!missing) {
          closeChange()
          void takeCoupon(code.trim())
        }
      }}
    >
      <TextField
        autoFocus
        value={code}
        onChange={setCode}
        isInvalid={tried && missing}
        className="stack-1 field ringed"
      >
        <Label>{t('coupon.code')}</Label>
        <Input maxLength={LONGEST_CODE} autoComplete="off" spellCheck="false" />
        <FieldError>{t('coupon.missing')}</FieldError>
      </TextField>
    </TextDialog>
  )
}

/** Dialog for a note on the receipt. `of`: the line's name, null for the sale. An empty text removes the note. */
export function NoteDialog({
  line,
  of,
  note,
}: {
  readonly line: number | null
  readonly of: string | null
  readonly note: string | null
}) {
  const { t } = useI18n()
  const [text, setText] = useState(note ?? '')
  return (
    <TextDialog
      title={of === null ? t('note.titleSale') : t('note.titleLine', { name: of })}
      confirm={t('note.keep')}
      icon={<StickyNote />}
      onConfirm={() => {
        closeChange()
        void setNote(line, text.trim())
      }}
    >
      <TextField autoFocus value={text} onChange={setText} className="stack-1 field ringed">
        <Label>{t('note.label')}</Label>
        <Input maxLength={LONGEST_NOTE} autoComplete="off" />
        <PaperWarning text={text} />
      </TextField>
    </TextDialog>
  )
}

const SCOPES = ['sale', 'line'] as const

/** Dialog for the tax exemption of the sale, or of the selected line. */
export function ExemptionDialog({ ofSale, line }: { readonly ofSale: Exemption | null; readonly line?: SaleLine }) {
  const { t, format } = useI18n()
  const [scope, setScope] = useState<(typeof SCOPES)[number]>(line?.exemption ? 'line' : 'sale')
  const of = line && scope === 'line' ? line.number : null
  const known = of === null ? ofSale : (line?.exemption ?? null)
  const [relief, setRelief] = useState<Exemption['relief'] | null>(known?.relief ?? null)
  const [reason, setReason] = useState<Exemption['reason'] | null>(known?.reason ?? null)
  const [certificate, setCertificate] = useState(known?.certificate ?? '')
  const { tried, attempt, form } = useTries()
  const missing = certificate.trim() === ''
  const confirm = (): void => {
    attempt()
    if (relief === null || reason === null || missing) return
    closeChange()
    void setExemption(of, { relief, reason, certificate: certificate.trim() })
  }
  return (
    <TextDialog
      title={t('exemption.title')}
      confirm={t('exemption.set')}
      icon={<ReceiptText />}
      form={form}
      size="l"
      onConfirm={confirm}
    >
      <div className={`grid gap-5 start ${styles['split']}`}>
        <div className="stack-4">
          {line && (
            <Choice
              label={t('exemption.title')}
              options={SCOPES}
              texts={(one) => (one === 'line' ? format.text(line.name) : t('changes.sale'))}
              value={scope}
              onChange={setScope}
              missing={null}
            />
          )}
          <Choice
            label={t('exemption.relief')}
            options={RELIEFS}
            texts={(one) => t(`exemption.reliefs.${one}`)}
            value={relief}
            onChange={setRelief}
            missing={tried && relief === null ? t('exemption.reliefMissing') : null}
          />
        </div>
        <Choice
          label={t('exemption.reason')}
          options={EXEMPTION_REASONS}
          texts={(one) => t(`exemption.reasons.${one}`)}
          value={reason}
          onChange={setReason}
          missing={tried && reason === null ? t('discount.whyMissing') : null}
        />
      </div>
      <TextField
        value={certificate}
        onChange={setCertificate}
        isInvalid={tried && missing}
        className="stack-1 field ringed"
      >
        <Label>{t('exemption.certificate')}</Label>
        <Input maxLength={LONGEST_CERTIFICATE} autoComplete="off" spellCheck="false" />
        <PaperWarning text={certificate} />
        <FieldError>{t('exemption.certificateMissing')}</FieldError>
      </TextField>
      {known && (
        <Button
          onPress={() => {
            closeChange()
            void setExemption(of, null)
          }}
        >
          {t('exemption.remove')}
        </Button>
      )}
    </TextDialog>
  )
}

/** Dialog that selects the buyers of the sale (staff or seniors), so that the promotions for them apply. */
export function BuyersDialog({ known }: { readonly known: BuyerGroup | null }) {
  const { t } = useI18n()
  const [buyers, setChosen] = useState<BuyerGroup | null>(known)
  const { tried, attempt, form } = useTries()
  return (
    <TextDialog
      title={t('buyers.title')}
      confirm={t('buyers.set')}
      icon={<UsersRound />}
      form={form}
      onConfirm={() => {
        attempt()
        if (buyers === null) return
        closeChange()
        void setBuyers(buyers)
      }}
    >
      <Choice
        lettered
        // Enter confirms only while the focus is in the form.
        autoFocus
        label={t('buyers.who')}
        options={BUYERS}
        texts={(one) => t(`buyers.group.${one}`)}
        value={buyers}
        onChange={setChosen}
        missing={tried && buyers === null ? t('buyers.missing') : null}
      />
      {known && (
        <Button
          onPress={() => {
            closeChange()
            void setBuyers(null)
          }}
        >
          {t('buyers.remove')}
        </Button>
      )}
    </TextDialog>
  )
}
