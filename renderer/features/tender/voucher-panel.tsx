import { ArrowLeft, Search, Ticket } from 'lucide-react'
import { useState } from 'react'
import { FieldError, Form, Input, Label, TextField } from 'react-aria-components'
import type { z } from 'zod'
import type { SaleTotals } from '../../../contracts/api/sales.ts'
import type { Voucher } from '../../../contracts/api/vouchers.ts'
import { ApiProblem } from '../../api/problem.ts'
import { useWords } from '../../i18n/words.tsx'
import { problemSaying, type Saying } from '../../state/notices.ts'
import { useUnderWay } from '../../state/command-queue.ts'
import { pay, presentVoucher } from '../../state/sale-commands.ts'
import { AmountPad } from '../../ui/amount-pad.tsx'
import { ActionButton, Button } from '../../ui/button.tsx'
import { useTries } from '../../ui/use-tries.ts'
import styles from './tender.module.css'

const LONGEST_CODE = 60

/** Store credit or a gift card: shown by a scan or by its code, then as much of it as the sale needs, or less. */
export function VoucherPanel({
  totals,
  voucher,
}: {
  readonly totals: z.infer<typeof SaleTotals>
  readonly voucher: Voucher | null
}) {
  const { t } = useWords()
  return (
    <section className={styles['panel']} aria-label={t('tender.voucherTitle')}>
      {voucher ? <Take voucher={voucher} dueCents={totals.dueCents} /> : <Show />}
    </section>
  )
}

function Show() {
  const words = useWords()
  const { t } = words
  const [code, setCode] = useState('')
  const [asking, setAsking] = useState(false)
  const [wrong, setWrong] = useState<Saying | null>(null)
  const { attempt, form } = useTries()
  const show = async (): Promise<void> => {
    if (code.trim() === '' || asking) return
    setAsking(true)
    try {
      await presentVoucher(code.trim())
    } catch (error) {
      if (!(error instanceof ApiProblem)) throw error
      setWrong(() => problemSaying(error))
      setAsking(false)
      attempt()
    }
  }
  return (
    <Form
      ref={form}
      className={styles['form'] ?? ''}
      validationBehavior="aria"
      onSubmit={(event) => {
        event.preventDefault()
        void show()
      }}
    >
      <div className={styles['card']}>
        <h2>{t('tender.voucherTitle')}</h2>
        <p className={styles['steps']}>{t('tender.voucherScan')}</p>
        <TextField
          autoFocus
          value={code}
          onChange={(next) => {
            setCode(next)
            setWrong(null)
          }}
          isInvalid={wrong !== null}
          className={styles['field'] ?? ''}
        >
          <Label>{t('tender.voucherCode')}</Label>
          <Input maxLength={LONGEST_CODE} autoComplete="off" spellCheck="false" autoCapitalize="characters" />
          <FieldError>{wrong?.(words)}</FieldError>
        </TextField>
      </div>
      <div className={styles['foot']}>
        <ActionButton id="back" size="l" label="" icon={<ArrowLeft />} />
        <Button type="submit" look="primary" size="l" wide icon={<Search />} isDisabled={asking || code.trim() === ''}>
          {t('tender.voucherShow')}
        </Button>
      </div>
    </Form>
  )
}

function Take({ voucher, dueCents }: { readonly voucher: Voucher; readonly dueCents: number }) {
  const { t, format } = useWords()
  const busy = useUnderWay('tender')
  const most = Math.min(voucher.payableCents ?? voucher.balanceCents, dueCents)
  const [typed, setTyped] = useState<number | null>(null)
  const amount = typed ?? most
  const valid = amount > 0 && amount <= most
  const take = (): void => {
    if (valid) void pay({ kind: 'voucher', voucherId: voucher.id, amountCents: amount })
  }
  return (
    <>
      <div className={styles['card']}>
        <h2>{t('tender.voucherHolds', { kind: t(`tender.kind.${voucher.kind}`), number: voucher.last4 })}</h2>
        <p className={styles['steps']} role="status">
          {t('tender.voucherLeft', { amount: format.money(voucher.balanceCents) })}
          {voucher.reserved?.map(({ lane, amountCents }) => (
            <span key={lane}> {t('tender.voucherReserved', { lane, amount: format.money(amountCents) })}</span>
          ))}
        </p>
        <AmountPad
          label={t('tender.voucherAmount')}
          typed={typed}
          onType={setTyped}
          proposed={most}
          hint={t(valid ? 'tender.voucherMost' : 'tender.amountInvalid', {
            least: format.money(1),
            most: format.money(most),
          })}
          wrong={!valid}
          onEnter={take}
        />
      </div>
      <div className={styles['foot']}>
        <ActionButton id="back" size="l" label="" icon={<ArrowLeft />} />
        <Button look="primary" size="l" wide icon={<Ticket />} isDisabled={busy || !valid} onPress={take}>
          {busy ? t('tender.taking') : t('tender.voucherTake', { amount: format.money(valid ? amount : 0) })}
        </Button>
      </div>
    </>
  )
}
