import { useQuery } from '@tanstack/react-query'
import { PackageOpen, ReceiptText, ScanBarcode, Search } from 'lucide-react'
import { useState } from 'react'
import {
  FieldError,
  Form,
  GridList,
  GridListItem,
  Input,
  Label,
  Radio,
  RadioGroup,
  Text,
  TextField,
} from 'react-aria-components'
import { api } from '../../core/api/terminal-api.ts'
import { useI18n } from '../../core/i18n/i18n.ts'
import { report } from '../../core/state/notices.ts'
import { showReturn, useReturn } from './returns.ts'
import { notifyReturnSlip } from './scanned-papers.ts'
import { ActionButton, Button } from '../../core/ui/button.tsx'
import { LoadFailed } from '../../core/ui/page.tsx'
import { Empty } from '../../core/ui/surface.tsx'
import { useTries } from '../../core/ui/focus.ts'
import styles from './returns.module.css'
import type { ReturnReason } from '../../../contracts/payments/returns.ts'

const LATEST = 6
/**
 * Number of requested sales, more than are shown: the answer also contains returns and cancelled sales, which this list
 * omits.
 */
const ASKED = 20
const LONGEST_ID = 40
const SALE_ID_END = /^[A-Z0-9]{4,40}$/

/** Texts for a sale that was not found, by the connection to the store server. */
const NOT_FOUND = {
  alone: 'returnScreen.findNone',
  reached: 'returnScreen.findNoneInStore',
  away: 'returnScreen.findStoreAway',
} as const
type Wrong = (typeof NOT_FOUND)[keyof typeof NOT_FOUND] | 'returnScreen.findShort' | 'returnScreen.findMany'

export function FindSale() {
  const { t } = useI18n()
  const [text, setText] = useState('')
  const [wrong, setWrong] = useState<Wrong | null>(null)
  const { attempt, form } = useTries()
  const fail = (why: Wrong): void => {
    setWrong(why)
    attempt()
  }
  const find = async (): Promise<void> => {
    const q = text.trim().toUpperCase()
    if (!SALE_ID_END.test(q)) return fail('returnScreen.findShort')
    try {
      const { sales: known, store } = await api.earlierSales({ q, limit: ASKED })
      const found = known.filter(({ state }) => state === 'completed')
      const [sale] = found
      const slip = known.find(({ state }) => state === 'returned')
      if (found.length === 1 && sale) await showReturn(sale.id)
      else if (found.length === 0 && slip) notifyReturnSlip(slip)
      else fail(found.length === 0 ? NOT_FOUND[store ?? 'alone'] : 'returnScreen.findMany')
    } catch (error) {
      report(error)
    }
  }
  return (
    <div className={`stack-4 top ${styles['find']}`}>
      <p className={`row-3 weight-600 round-m pad-3-4 icons-22 ${styles['hint']}`}>
        <ScanBarcode aria-hidden="true" />
        {t('returnScreen.findHint')}
      </p>
      <Form
        ref={form}
        validationBehavior="aria"
        className={`stack-3 start ${styles['findForm']}`}
        onSubmit={(event) => {
          event.preventDefault()
          void find()
        }}
      >
        <TextField
          autoFocus
          value={text}
          onChange={(next) => {
            setText(next)
            setWrong(null)
          }}
          isInvalid={wrong !== null}
          className={`stack-1 field ringed ${styles['field']}`}
        >
          <Label>{t('earlier.search')}</Label>
          <Input maxLength={LONGEST_ID} autoComplete="off" spellCheck="false" />
          <Text slot="description">{t('returnScreen.findDescription')}</Text>
          <FieldError>{wrong && t(wrong)}</FieldError>
        </TextField>
        <Button type="submit" size="l" icon={<Search />}>
          {t('returnScreen.find')}
        </Button>
      </Form>
      <ActionButton id="return-unrecorded" icon={<PackageOpen />} />
      <LatestSales />
    </div>
  )
}

function LatestSales() {
  const { t, format } = useI18n()
  const latest = useQuery({
    queryKey: ['returnable-sales'],
    queryFn: ({ signal }) => api.earlierSales({ limit: ASKED }, signal),
    staleTime: 0,
  })
  const sales = latest.data?.sales.filter(({ state }) => state === 'completed').slice(0, LATEST) ?? []
  return (
    <>
      <h2>{t('returnScreen.latest')}</h2>
      {latest.isPending && <p role="status">{t('app.loading')}</p>}
      {latest.isError && <LoadFailed error={latest.error} retry={() => void latest.refetch()} />}
      {latest.isSuccess && sales.length === 0 && (
        <Empty icon={<ReceiptText />} title={t('earlier.emptyTitle')} text={t('earlier.empty')} />
      )}
      {sales.length > 0 && (
        <GridList
          className="scroll framed ringless"
          aria-label={t('returnScreen.latest')}
          items={sales}
          dependencies={[t]}
          selectionMode="none"
          onAction={(key) => void showReturn(String(key))}
        >
          {(sale) => (
            <GridListItem
              id={sale.id}
              textValue={t('returnScreen.saleText', {
                id: sale.id,
                time: format.dateTime(sale.closedAt),
                total: format.money(sale.totalCents),
              })}
              className={`stack-4 with-end middle pad-2-4 default-cursor ${styles['sale']} figures`}
            >
              <span className="prose">
                <strong>{sale.id}</strong>{' '}
                <small className="dim">
                  {format.dateTime(sale.closedAt)} · {sale.cashier}
                </small>
              </span>
              <span>{format.money(sale.totalCents)}</span>
            </GridListItem>
          )}
        </GridList>
      )}
    </>
  )
}

const REASONS = [
  'not-wanted',
  'damaged',
  'wrong-item',
  'expired',
  'recalled',
  'other',
] as const satisfies readonly ReturnReason[]

/**
 * Field for the reason of the return. It is below the goods, so that the other side of the screen remains for the
 * refund.
 */
export function Reason() {
  const { t } = useI18n()
  const { reason, missing } = useReturn()
  return (
    <RadioGroup
      value={reason}
      onChange={(value) => useReturn.setState({ reason: REASONS.find((one) => one === value) ?? null, missing: null })}
      isInvalid={missing === 'reason'}
      className={`stack-2 radios ${styles['reasons']}`}
    >
      <Label>{t('returnScreen.reasonLabel')}</Label>
      <div>
        {REASONS.map((one) => (
          <Radio
            key={one}
            value={one}
            className={`grid target text-s weight-600 center round-m surface-1 ${styles['reason']}`}
          >
            {t(`returnScreen.reason.${one}`)}
          </Radio>
        ))}
      </div>
      <FieldError>{t('returnScreen.reasonMissing')}</FieldError>
    </RadioGroup>
  )
}
