import { CircleX, Printer, ScrollText, Smartphone } from 'lucide-react'
import { useWords } from '../../i18n/words.tsx'
import { sessionOf, useMemberSession } from '../../state/member-session.ts'
import { useSale } from '../../state/sale.ts'
import { useIsCodeShown } from '../../state/shown-code.ts'
import { Button, IconButton } from '../../ui/button.tsx'
import { Tag } from '../../ui/surface.tsx'
import { useAction } from '../../ui/use-actions.ts'
import styles from './phone-sign-in.module.css'

/** Begins the collector's sign-in, or ends it: whichever can be done now. */
export function PhoneButton() {
  const { t } = useWords()
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

/** How far the collector's sign-in is, on the cashier's screen; a code that waits can be printed. */
export function PhoneSignIn() {
  const { t } = useWords()
  const saleId = useSale(({ current }) => current?.id)
  const session = useMemberSession((now) => sessionOf(saleId, now))
  const printing = useMemberSession((now) => now.printing)
  if (!session) return null
  return (
    <div className={styles['state']} data-sign-in>
      <p role="status" className={styles['phone']}>
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

/** Where the display does not show the code, the cashier tells it to the customer or prints it. */
function Code({ code }: { readonly code: string }) {
  const { t } = useWords()
  const isShown = useIsCodeShown(code)
  return (
    <>
      {t(isShown ? 'memberSession.onDisplay' : 'memberSession.offDisplay')}{' '}
      <strong className={styles['code']}>{code}</strong>
    </>
  )
}

function PrintCode() {
  const { label, keys, enabled, perform } = useAction('member-sign-in-print')
  return (
    <IconButton label={`${label} (${keys.join(', ')})`} icon={<Printer />} isDisabled={!enabled} onPress={perform} />
  )
}

/** Nothing at a lane without the history service. */
function ShowHistory() {
  const { label, keys, enabled, perform } = useAction('member-history')
  return enabled && <IconButton label={`${label} (${keys.join(', ')})`} icon={<ScrollText />} onPress={perform} />
}
