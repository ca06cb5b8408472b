import '../core/ui/primitives-later.css'
import { type UseMutationResult, useMutation, useQuery } from '@tanstack/react-query'
import { BadgeCheck, KeyRound, LoaderCircle, ScanQrCode, ShieldCheck } from 'lucide-react'
import { type ReactNode, Suspense, lazy, useState } from 'react'
import { Form, Input, Label, Text, TextField } from 'react-aria-components'
import type { EnrolmentDone, EnrolmentRequest } from '../../contracts/operations/enrolment.ts'
import { formatCode, parseTicket, shortFingerprint } from '../../contracts/operations/enrolment-code.ts'
import { ApiProblem } from '../core/api/problem.ts'
import { useI18n } from '../core/i18n/i18n.ts'
import { problemText } from '../core/state/notices.ts'
import { loadChunk } from '../core/loading/chunks.ts'
import { useTerminal } from '../core/state/terminal.ts'
import { Button } from '../core/ui/button.tsx'
import fieldStyles from '../core/ui/field.module.css'
import styles from './enrol-lane.module.css'
import { WithStoreTexts } from '../core/i18n/store-texts.tsx'
import { enrolmentApi } from '../core/api/enrolment-api.ts'

// The touch keyboard is loaded from the chunk after sign-in: a separate chunk for the keyboard would make that chunk
// larger.
const TouchKeyboard = lazy(async () => ({ default: (await loadChunk(() => import('../signed-in.tsx'))).TouchKeyboard }))

export function EnrolLane({ onLeave }: { readonly onLeave: () => void }) {
  const { t } = useI18n()
  const terminal = useTerminal((state) => state.terminal)
  const [done, setDone] = useState<EnrolmentDone | null>(null)
  const enrol = useMutation({
    mutationFn: (request: EnrolmentRequest) => enrolmentApi.enrol(request),
    onSuccess: setDone,
  })
  return (
    <>
      <main
        className={`grid middle min-height-0 full-height scroll ${styles['screen']}`}
        aria-label={t('app.mainLabel')}
      >
        <section className={styles['intro']}>
          <h1 className="text-3xl">{t('enrol.title')}</h1>
          <p className={`dim ${styles['place']}`}>
            {t('signIn.subtitle', { store: terminal?.store.name ?? '', lane: terminal?.lane ?? '' })}
          </p>
          <ul className="stack-4">
            <li className="stack-3 start">
              <ScanQrCode aria-hidden="true" />
              {t('enrol.how')}
            </li>
            <li className="stack-3 start">
              <KeyRound aria-hidden="true" />
              {t('enrol.brings')}
            </li>
            <li className="stack-3 start">
              <ShieldCheck aria-hidden="true" />
              {t('enrol.once')}
            </li>
          </ul>
          {done === null && !enrol.isPending && <Button onPress={onLeave}>{t('enrol.skip')}</Button>}
        </section>
        <section className="panel pad-5" aria-label={done === null ? t('enrol.form') : t('enrol.doneTitle')}>
          {done === null ? <EnrolForm enrol={enrol} /> : <Enrolled done={done} onLeave={onLeave} />}
        </section>
      </main>
      <Suspense fallback={null}>
        <TouchKeyboard />
      </Suspense>
    </>
  )
}

interface Typed {
  readonly code: string
  readonly service: string
  readonly certificate: string
}
/** Minimum number of characters that only a scan can add in one event, even on a busy machine. */
const MIN_AT_ONCE = 20
const NOTHING: Typed = { code: '', service: '', certificate: '' }

/** Fills the fields from the scanned QR code of an enrolment sheet; null if the text is no such code. */
function fromTicket(text: string): Typed | null {
  const ticket = parseTicket(text.trim())
  if (ticket === null) return null
  const { code, service, certificate } = ticket
  return {
    code: formatCode(code),
    service: service.replace(/^https:\/\//, ''),
    certificate:
      certificate === null || certificate.includes('-') ? (certificate ?? '') : shortFingerprint(certificate),
  }
}

function EnrolForm({ enrol }: { readonly enrol: UseMutationResult<EnrolmentDone, Error, EnrolmentRequest> }) {
  const { t } = useI18n()
  const ticket = useTerminal((state) => state.ticket)
  const [appliedTicket, setAppliedTicket] = useState<typeof ticket>(null)
  const [typed, setTyped] = useState(NOTHING)
  if (ticket !== appliedTicket) {
    setAppliedTicket(ticket)
    // A damaged scan is shown unchanged; the button then reports the error.
    if (ticket !== null) setTyped(fromTicket(ticket.text) ?? { ...typed, code: ticket.text })
  }
  const change = (field: keyof Typed) => (text: string) =>
    setTyped((before) => {
      // Text that grows key by key is not parsed here: the QR text that a slow keyboard wedge types looks complete
      // before its end. Enter submits it.
      const isAtOnce = field === 'code' && text.length - before.code.length >= MIN_AT_ONCE
      return (isAtOnce ? fromTicket(text) : null) ?? { ...before, [field]: text }
    })
  // An error replaces the hints, so that the button stays visible on a low screen.
  const help = (text: string): string | null => (enrol.isError ? null : text)
  const code = enrol.error instanceof ApiProblem ? enrol.error.code : null
  if (enrol.isPending) return <Progress />
  return (
    <Form
      className="stack-3"
      onSubmit={(event) => {
        event.preventDefault()
        const request = fromTicket(typed.code) ?? typed
        setTyped(request)
        enrol.mutate(request)
      }}
    >
      <Field
        label={t('enrol.code')}
        help={help(t('enrol.codeHelp'))}
        value={typed.code}
        onChange={change('code')}
        autoFocus
      />
      <Field
        label={t('enrol.service')}
        help={help(t('enrol.serviceHelp'))}
        value={typed.service}
        onChange={change('service')}
        isInvalid={code === 'enrolment-service-invalid'}
      />
      <Field
        label={t('enrol.check')}
        help={help(t('enrol.checkHelp'))}
        value={typed.certificate}
        onChange={change('certificate')}
        isInvalid={code === 'enrolment-certificate-invalid'}
      />
      {enrol.isError && <Refused error={enrol.error} />}
      <Button look="primary" size="l" type="submit" isDisabled={typed.code.trim() === ''}>
        {t('enrol.enrol')}
      </Button>
    </Form>
  )
}

function Field({
  label,
  help,
  ...field
}: {
  readonly label: string
  readonly help: string | null
  readonly value: string
  readonly onChange: (text: string) => void
  readonly autoFocus?: boolean
  readonly isInvalid?: boolean
}) {
  return (
    <TextField
      {...field}
      validationBehavior="aria"
      className={`stack-1 field ${fieldStyles['field']} ${styles['field']}`}
    >
      <Label>{label}</Label>
      <Input maxLength={600} autoComplete="off" autoCapitalize="characters" spellCheck="false" />
      {help !== null && <Text slot="description">{help}</Text>}
    </TextField>
  )
}

function Refused({ error }: { readonly error: Error }) {
  const i18n = useI18n()
  const { t } = i18n
  if (!(error instanceof ApiProblem)) throw error
  const known = (path: string): string | undefined => error.details.find((detail) => detail.path === path)?.message
  const [tries, store, lane, ahead] = [
    known('triesLeft'),
    known('store'),
    known('lane'),
    Number(known('clockAheadMinutes') ?? 0),
  ]
  return (
    <div role="alert" className={`stack-2 ink round-m pad-3-4 ${styles['refused']}`}>
      <p>{problemText(error)(i18n)}</p>
      {tries !== undefined && <p>{t('enrol.triesLeft', { count: Number(tries) })}</p>}
      {store !== undefined && lane !== undefined && <p>{t('enrol.belongsTo', { store, lane })}</p>}
      {ahead !== 0 && <p>{t(ahead > 0 ? 'enrol.clockFast' : 'enrol.clockSlow', { count: Math.abs(ahead) })}</p>}
    </div>
  )
}

const LOOK_MS = 700

/**
 * Progress of the enrolment, polled from the terminal on this machine, so that the result arrives even if the network
 * fails.
 */
function Progress() {
  const { t } = useI18n()
  const status = useQuery({ queryKey: ['enrolment'], queryFn: enrolmentApi.status, refetchInterval: LOOK_MS })
  const storing = status.data?.step === 'storing'
  return (
    <div role="status" className={`stack-4 center ${styles['work']}`}>
      <LoaderCircle aria-hidden="true" />
      <h2>{t(storing ? 'enrol.storing' : 'enrol.asking')}</h2>
      <progress aria-label={t('enrol.progress')} max={3} value={storing ? 2 : 1} />
      <p>{t('enrol.patience')}</p>
    </div>
  )
}

export function Enrolled({ done, onLeave }: { readonly done: EnrolmentDone; readonly onLeave: () => void }) {
  const { t } = useI18n()
  const { people, secret, clockAheadMinutes: ahead } = done
  return (
    <div className={`stack-4 center ${styles['done']}`} role="status">
      <BadgeCheck aria-hidden="true" />
      <h2>{t('enrol.doneTitle')}</h2>
      <p>{people > 0 ? t('enrol.people', { count: people }) : t('enrol.noPeople')}</p>
      {!secret && <p className={`stack-2 ink round-m pad-3-4 ${styles['refused']}`}>{t('enrol.noSecret')}</p>}
      {ahead !== null && (
        <p className={`stack-2 ink round-m pad-3-4 ${styles['refused']}`}>
          {t(ahead > 0 ? 'enrol.clockFast' : 'enrol.clockSlow', { count: Math.abs(ahead) })}
        </p>
      )}
      <p className={`note ${styles['code']}`}>{t('enrol.kept', { code: done.codeId })}</p>
      <Button look="primary" size="l" autoFocus onPress={onLeave}>
        {t('enrol.goOn')}
      </Button>
    </div>
  )
}

interface FirstStartProps {
  /** Renders the sign-in screen with this content below the names. */
  readonly signIn: (below: ReactNode) => ReactNode
}

/** Screen for the first start of a lane. Its texts are loaded with those of the Store pages. */
export default function FirstStart(props: FirstStartProps) {
  return (
    <WithStoreTexts>
      <Choice {...props} />
    </WithStoreTexts>
  )
}

function Choice({ signIn }: FirstStartProps) {
  const { t } = useI18n()
  const [enrolling, setEnrolling] = useState(true)
  return enrolling ? (
    <EnrolLane onLeave={() => setEnrolling(false)} />
  ) : (
    signIn(
      <p className={styles['again']}>
        <Button onPress={() => setEnrolling(true)}>{t('enrol.title')}</Button>
      </p>,
    )
  )
}
