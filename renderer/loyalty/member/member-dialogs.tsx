import type { Sale } from '../../../contracts/sales/sales.ts'
import { useMilesText, useI18n } from '../../core/i18n/i18n.ts'
import { useShell } from '../../core/state/window.ts'
import { Dialog } from '../../core/ui/dialog.tsx'
import styles from './member.module.css'
import { CircleX, Delete, IdCard, Printer, ScrollText, Smartphone } from 'lucide-react'
import { Suspense, lazy, useState } from 'react'
import { Form, Input, Label, Text, TextField } from 'react-aria-components'
import { ApiProblem } from '../../core/api/problem.ts'
import { api } from '../../core/api/terminal-api.ts'
import { type LazyText, problemText } from '../../core/state/notices.ts'
import { Button, IconButton } from '../../core/ui/button.tsx'
import { Keypad } from '../../core/ui/keypad.tsx'
import { sessionOf, useMemberSession } from './member-session.ts'
import { useSale } from '../../sales/sale.ts'
import { useIsCodeShown } from '../../payments/receipt/shown-vouchers.ts'
import { Tag } from '../../core/ui/surface.tsx'
import { useAction } from '../../core/ui/use-actions.ts'
import { loadChunk } from '../../core/loading/chunks.ts'
import { closeHistory, useMemberHistory } from './member-history.ts'

export function EarningDialog({ sale }: { readonly sale: Sale | null }) {
  const { t, format } = useI18n()
  const milesText = useMilesText()
  const open = useShell((state) => state.earningOpen)
  const known = sale !== null && sale.milesPreview !== null
  return (
    <Dialog open={open && known} onClose={() => useShell.setState({ earningOpen: false })} title={t('earning.title')}>
      <p>{t('earning.intro')}</p>
      {sale && sale.earningOffers.length === 0 && <p role="status">{t('earning.none')}</p>}
      <ul className={`grid scroll ${styles['offers']} figures`}>
        {sale?.earningOffers.map((offer) => (
          <li className="stack-4 with-end baseline" key={offer.code}>
            <span className="prose">
              <strong>{format.text(offer.description) || t('earning.offer', { code: offer.code })}</strong>
              <small className="note">
                {offer.items.length === 0
                  ? t('earning.basket')
                  : t('earning.items', { items: offer.items.map((name) => format.text(name)).join(', ') })}
              </small>
            </span>
            <strong>{milesText(offer.miles)}</strong>
          </li>
        ))}
      </ul>
      {known && (
        <p className="flex gap-4 between tone-miles weight-650 round-m pad-3-4 figures">
          <span>{t('sale.milesToEarn')}</span>
          <strong>{sale.milesPreview ? milesText(sale.milesPreview) : t('sale.milesNone')}</strong>
        </p>
      )}
    </Dialog>
  )
}

const DIGITS = 11

/**
 * Dialog to enter the number of a collector without a card, who then earns and never redeems. The number is cleared as
 * soon as it was accepted.
 */
export function KeyedDialog() {
  const { t } = useI18n()
  const open = useShell((state) => state.keyingCollector)
  const close = (): void => useShell.setState({ keyingCollector: false })
  return (
    <Dialog open={open} onClose={close} title={t('keyed.title')}>
      <KeyedForm onDone={close} />
    </Dialog>
  )
}

function KeyedForm({ onDone }: { readonly onDone: () => void }) {
  const i18n = useI18n()
  const { t } = i18n
  const [digits, setDigits] = useState('')
  const [wrong, setWrong] = useState<LazyText | null>(null)
  const [sending, setSending] = useState(false)
  const put = (text: string): void => {
    setWrong(null)
    setDigits(text.replaceAll(/\D/g, '').slice(0, DIGITS))
  }
  const submit = async (): Promise<void> => {
    if (sending) return
    setSending(true)
    try {
      // The keyed number creates a card read, which arrives as an event, like a swipe, and goes to the sale.
      await api.keyCollector(digits)
      onDone()
    } catch (error) {
      if (!(error instanceof ApiProblem)) throw error
      setWrong(() => problemText(error))
      setSending(false)
    }
  }
  return (
    <Form
      className="stack-3 single"
      onSubmit={(event) => {
        event.preventDefault()
        void submit()
      }}
    >
      <p>{t('keyed.why')}</p>
      <TextField
        autoFocus
        value={grouped(digits)}
        onChange={put}
        isInvalid={wrong !== null}
        inputMode="numeric"
        data-own-keys
        className={`stack-1 single field ${styles['field']}`}
      >
        <Label>{t('keyed.label')}</Label>
        <Input className={styles['number'] ?? ''} autoComplete="off" spellCheck="false" />
        <Text slot="description">{digits === '' ? t('keyed.hint') : t('keyed.typed', { count: digits.length })}</Text>
      </TextField>
      <p role="alert" className={styles['wrong']}>
        {wrong?.(i18n)}
      </p>
      <Keypad
        label={t('keyed.keypad')}
        onDigit={(digit) => put(digits + digit)}
        last={
          <Button
            size="l"
            look="quiet"
            aria-label={t('keyed.erase')}
            preventFocusOnPress
            icon={<Delete />}
            onPress={() => put(digits.slice(0, -1))}
          />
        }
      />
      <Button type="submit" look="primary" size="l" wide icon={<IdCard />} isDisabled={digits === '' || sending}>
        {t(sending ? 'keyed.checking' : 'keyed.confirm')}
      </Button>
    </Form>
  )
}

const grouped = (digits: string): string =>
  [digits.slice(0, 4), digits.slice(4, 7), digits.slice(7)].filter((part) => part !== '').join(' ')

export function PhoneButton() {
  const { t } = useI18n()
  const begin = useAction('member-sign-in')
  const cancel = useAction('member-sign-in-cancel')
  if (!begin.enabled && !cancel.enabled) return null
  const { label, keys, perform } = cancel.enabled ? cancel : begin
  const Icon = cancel.enabled ? CircleX : Smartphone
  const short = t(cancel.enabled ? 'memberSession.end' : 'memberSession.begin')
  return (
    <span className={styles['begin']}>
      <Button look="quiet" aria-label={`${short}: ${label} (${keys.join(', ')})`} icon={<Icon />} onPress={perform}>
        {short}
      </Button>
    </span>
  )
}

export function PhoneSignIn() {
  const { t } = useI18n()
  const saleId = useSale(({ current }) => current?.id)
  const session = useMemberSession((now) => sessionOf(saleId, now))
  const printing = useMemberSession((now) => now.printing)
  if (!session) return null
  return (
    <div className={`row-2 ${styles['state']}`} data-sign-in>
      <p role="status" className={`text-s ${styles['phone']}`}>
        {session.state === 'asking' && t('memberSession.asking')}
        {session.state === 'waiting' && (printing ? t('memberSession.printing') : <Code code={session.userCode} />)}
        {session.state === 'signed-in' && <Tag tone="miles">{t('memberSession.signedIn')}</Tag>}
        {session.state === 'ended' && t(`memberSession.ended.${session.why}`)}
      </p>
      {session.state === 'waiting' && <PrintCode />}
      {session.state === 'signed-in' && <ShowHistory />}
    </div>
  )
}

function Code({ code }: { readonly code: string }) {
  const { t } = useI18n()
  const isShown = useIsCodeShown(code)
  return (
    <>
      {t(isShown ? 'memberSession.onDisplay' : 'memberSession.offDisplay')}{' '}
      <strong className={`nowrap ${styles['code']}`}>{code}</strong>
    </>
  )
}

function PrintCode() {
  const { label, keys, enabled, perform } = useAction('member-sign-in-print')
  return (
    <IconButton label={`${label} (${keys.join(', ')})`} icon={<Printer />} isDisabled={!enabled} onPress={perform} />
  )
}

function ShowHistory() {
  const { label, keys, enabled, perform } = useAction('member-history')
  return enabled && <IconButton label={`${label} (${keys.join(', ')})`} icon={<ScrollText />} onPress={perform} />
}

// The history panel is loaded on demand, so that it does not delay the sale screen.
const HistoryPanel = lazy(() => loadChunk(() => import('./history-panel.tsx')))

export function HistoryDialog() {
  const { t } = useI18n()
  const { saleId, shown } = useMemberHistory()
  const isOpen = saleId !== null && shown !== null
  return (
    <Dialog open={isOpen} onClose={closeHistory} title={t('memberHistory.title')} size="l">
      {isOpen && (
        <Suspense fallback={<p role="status">{t('memberHistory.loading')}</p>}>
          <HistoryPanel saleId={saleId} shown={shown} />
        </Suspense>
      )}
    </Dialog>
  )
}
