import { Clapperboard, CloudAlert, CreditCard, Hourglass, Nfc, Scale, Smartphone, Wrench } from 'lucide-react'
import type {
  CardFault,
  CentralCondition,
  ScaleFault,
  Scenario,
  TrainingPanel,
  TrainingPhone,
} from '../../contracts/operations/training.ts'
import { useI18n } from '../core/i18n/i18n.ts'
import { Button } from '../core/ui/button.tsx'
import styles from './training-devices.module.css'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { showAnswer } from '../core/api/store-api.ts'
import { trainingApi } from '../core/api/training-api.ts'
import { useMemberSession } from '../loyalty/member/member-session.ts'
import { report } from '../core/state/notices.ts'
import { useMeasureTexts } from '../sales/measure-texts.ts'
import { Switch } from 'react-aria-components'

interface VirtualDevicesProps {
  readonly panel: TrainingPanel
  readonly playing: Scenario | null
  readonly play: (scenario: Scenario) => void
}

const CABLES = {
  'card-reader': { name: 'trainingPanel.cable.card-reader', out: 'card-reader-unplugged', in: 'card-reader-plugged' },
  scanner: { name: 'trainingPanel.cable.scanner', out: 'scanner-unplugged', in: 'scanner-plugged' },
  printer: { name: 'trainingPanel.cable.printer', out: 'printer-off', in: 'printer-on' },
  'line-display': {
    name: 'trainingPanel.cable.line-display',
    out: 'line-display-unplugged',
    in: 'line-display-plugged',
  },
  scale: { name: 'trainingPanel.cable.scale', out: 'scale-unplugged', in: 'scale-plugged' },
} as const

interface PrinterSwitch {
  readonly label: 'paperOut' | 'coverOpen' | 'printerSilent' | 'drawerOpen' | 'drawerHeld'
  readonly isOn: (printer: NonNullable<TrainingPanel['printer']>) => boolean
  readonly on: Scenario
  readonly off: Scenario
}
const PRINTER_SWITCHES: readonly PrinterSwitch[] = [
  { label: 'paperOut', isOn: ({ paper }) => paper === 'out', on: 'paper-out', off: 'paper-ok' },
  { label: 'coverOpen', isOn: ({ cover }) => cover === 'open', on: 'cover-open', off: 'cover-closed' },
  { label: 'printerSilent', isOn: ({ answers }) => !answers, on: 'printer-silent', off: 'printer-talks' },
  { label: 'drawerOpen', isOn: ({ drawer }) => drawer === 'open', on: 'drawer-open', off: 'drawer-closed' },
  { label: 'drawerHeld', isOn: ({ drawerHeld }) => drawerHeld, on: 'drawer-held', off: 'drawer-free' },
]

/**
 * Simulated devices: cables, printer and drawer as switches, and checkout scenarios as buttons. Each scenario has the
 * name that tests use.
 */
export function VirtualDevices({ panel, playing, play }: VirtualDevicesProps) {
  const { t } = useI18n()
  const { printer } = panel
  const busy = playing !== null
  return (
    <>
      <section aria-label={t('trainingPanel.happen')}>
        <h3>{t('trainingPanel.happen')}</h3>
        <ul>
          {panel.oneTimeScenarios.map((oneTime) => {
            const waiting = panel.waiting.includes(oneTime)
            return (
              <li key={oneTime}>
                <Button
                  wide
                  icon={waiting ? <Hourglass /> : <Clapperboard />}
                  isPending={playing === oneTime}
                  isDisabled={waiting || (busy && playing !== oneTime)}
                  onPress={() => play(oneTime)}
                >
                  {t(`trainingPanel.oneTime.${oneTime}`)}
                  {waiting && (
                    <span className={`block text-xs dim ${styles['waiting']}`}>{t('trainingPanel.waiting')}</span>
                  )}
                </Button>
              </li>
            )
          })}
          <li>
            <Button
              wide
              look="primary"
              icon={<Wrench />}
              isPending={playing === 'all-well'}
              isDisabled={busy && playing !== 'all-well'}
              onPress={() => play('all-well')}
            >
              {t('trainingPanel.allWell')}
            </Button>
          </li>
        </ul>
      </section>
      {panel.devices.length > 0 && (
        <section aria-label={t('trainingPanel.cables')}>
          <h3>{t('trainingPanel.cables')}</h3>
          {panel.devices.map(({ role, plugged }) => (
            <Toggle
              key={role}
              isDisabled={busy}
              selected={!plugged}
              onChange={(out) => play(out ? CABLES[role].out : CABLES[role].in)}
              label={t(CABLES[role].name)}
            />
          ))}
        </section>
      )}
      {printer && (
        <section aria-label={t('trainingPanel.printer')}>
          <h3>{t('trainingPanel.printer')}</h3>
          {PRINTER_SWITCHES.map(({ label, isOn, on, off }) => (
            <Toggle
              key={label}
              isDisabled={busy}
              selected={isOn(printer)}
              onChange={(selected) => play(selected ? on : off)}
              label={t(`trainingPanel.${label}`)}
            />
          ))}
        </section>
      )}
    </>
  )
}

/** Loads to put on the scale, in thousandths. */
const LOADS = [0, 15, 250, 800, 1_235, 2_500] as const

interface ScaleProps {
  readonly scale: NonNullable<TrainingPanel['scale']>
  readonly busy: boolean
  readonly ask: (change: { loadThousandths?: number; fault?: ScaleFault | null }) => void
}

/** The virtual scale: loads as buttons, faults as switches of which one is on. */
export function VirtualScale({ scale: { unit, loadThousandths, fault }, busy, ask }: ScaleProps) {
  const { t } = useI18n()
  const texts = useMeasureTexts()
  return (
    <section aria-label={t('trainingPanel.scale')}>
      <h3>{t('trainingPanel.scale')}</h3>
      <ul>
        {LOADS.map((load) => (
          <li key={load}>
            <Button
              wide
              aria-pressed={load === loadThousandths}
              look={load === loadThousandths ? 'primary' : 'plain'}
              icon={<Scale />}
              isDisabled={busy}
              onPress={() => ask({ loadThousandths: load })}
            >
              {load === 0 ? t('trainingPanel.scaleEmpty') : texts.quantity(load, unit, 3)}
            </Button>
          </li>
        ))}
      </ul>
      {SCALE_FAULTS.map((one) => (
        <Toggle
          key={one}
          isDisabled={busy}
          selected={fault === one}
          onChange={(on) => ask({ fault: on ? one : null })}
          label={t(`trainingPanel.scaleFault.${one}`)}
        />
      ))}
    </section>
  )
}

const SCALE_FAULTS = [
  'unstable',
  'over',
  'negative',
  'not-zeroed',
  'split',
  'garbage',
  'silent',
] as const satisfies readonly ScaleFault[]

interface CardTerminalProps {
  readonly terminal: NonNullable<TrainingPanel['cardTerminal']>
  readonly busy: boolean
  readonly ask: (does: CardFault | 'present' | 'approve') => void
}

export function CardTerminal({ terminal: { faults, next, customerWaits }, busy, ask }: CardTerminalProps) {
  const { t } = useI18n()
  return (
    <section aria-label={t('trainingPanel.cardTerminal')}>
      <h3>{t('trainingPanel.cardTerminal')}</h3>
      <ul>
        {customerWaits && (
          <li>
            <Button wide look="primary" icon={<Nfc />} isDisabled={busy} onPress={() => ask('present')}>
              {t('trainingPanel.presentCard')}
            </Button>
          </li>
        )}
        {faults.map((fault) => {
          const waits = next === fault
          return (
            <li key={fault}>
              <Button
                wide
                icon={waits ? <Hourglass /> : <CreditCard />}
                isDisabled={busy}
                onPress={() => ask(waits ? 'approve' : fault)}
              >
                {t(`trainingPanel.cardFault.${fault}`)}
                {waits && (
                  <span className={`block text-xs dim ${styles['waiting']}`}>{t('trainingPanel.cardWaits')}</span>
                )}
              </Button>
            </li>
          )
        })}
      </ul>
    </section>
  )
}

/** Conditions of the loyalty service that last until they are reset; one at a time. */
const LASTING = ['slow', 'silent', 'wrong', 'away'] as const satisfies readonly CentralCondition[]

interface CentralProps {
  readonly condition: CentralCondition
  readonly asking: CentralCondition | null
  readonly ask: (condition: CentralCondition) => void
}

export function Central({ condition, asking, ask }: CentralProps) {
  const { t } = useI18n()
  const waits = condition === 'answer-lost'
  return (
    <section aria-label={t('trainingPanel.central')}>
      <h3>{t('trainingPanel.central')}</h3>
      {LASTING.map((one) => (
        <Toggle
          key={one}
          isDisabled={asking !== null}
          selected={condition === one}
          onChange={(on) => ask(on ? one : 'well')}
          label={t(`trainingPanel.centralIs.${one}`)}
        />
      ))}
      <ul>
        <li>
          <Button
            wide
            icon={waits ? <Hourglass /> : <CloudAlert />}
            isPending={asking === 'answer-lost'}
            isDisabled={waits || asking !== null}
            onPress={() => ask('answer-lost')}
          >
            {t('trainingPanel.centralIs.answer-lost')}
            {waits && (
              <span className={`block text-xs dim ${styles['waiting']}`}>{t('trainingPanel.centralWaits')}</span>
            )}
          </Button>
        </li>
      </ul>
    </section>
  )
}

const ACTS = ['sign-in', 'someone-else', 'decline'] as const satisfies readonly TrainingPhone[]

/**
 * Whether a link opens a page in this browser. The shell opens no other page, so it shows the address for a browser on
 * the same machine.
 */
const opensPages = (): boolean => location.protocol.startsWith('http')

/** Simulated phone of the customer who is asked to sign in. Empty while no sign-in code waits. */
export function CustomerPhone() {
  const { t } = useI18n()
  const queries = useQueryClient()
  const session = useMemberSession((now) => now.session)
  const [doing, setDoing] = useState<TrainingPhone | null>(null)
  /** The sign-in code that was used on this phone; the lane learns of it at its next poll. */
  const [used, setUsed] = useState<string | null>(null)
  if (session?.state !== 'waiting') return null
  const { userCode, pageWithCode } = session
  const take = async (does: TrainingPhone): Promise<void> => {
    setDoing(does)
    try {
      await showAnswer(queries, ['training'], await trainingApi.trainingPhone(does))
      setUsed(userCode)
    } catch (error) {
      report(error)
    }
    setDoing(null)
  }
  return (
    <section aria-label={t('trainingPanel.phone')}>
      <h3>{t('trainingPanel.phone')}</h3>
      {opensPages() ? (
        <a className={`text-s weight-550 ${styles['page']}`} href={pageWithCode} target="_blank" rel="noreferrer">
          {t('trainingPanel.phonePage')}
        </a>
      ) : (
        <p>
          {t('trainingPanel.phonePage')} <span className={`anywhere ${styles['address']}`}>{pageWithCode}</span>
        </p>
      )}
      <ul>
        {ACTS.map((does) => (
          <li key={does}>
            <Button
              wide
              icon={<Smartphone />}
              isPending={doing === does}
              isDisabled={used === userCode || (doing !== null && doing !== does)}
              onPress={() => void take(does)}
            >
              {t(`trainingPanel.phoneDoes.${does}`)}
            </Button>
          </li>
        ))}
      </ul>
      {used === userCode && <p role="status">{t('trainingPanel.phoneDone')}</p>}
    </section>
  )
}

export function VirtualViews({ panel }: { readonly panel: TrainingPanel }) {
  const { t } = useI18n()
  return (
    <>
      {panel.display && (
        <section>
          <h3>{t('trainingPanel.display')}</h3>
          <pre className={`round-s flush ${styles['display']}`} aria-label={t('trainingPanel.display')}>
            {panel.display.join('\n')}
          </pre>
        </section>
      )}
      {panel.printer && (
        <section>
          <h3>{t('trainingPanel.lastPaper')}</h3>
          {panel.lastPaper === null ? (
            <p>{t('trainingPanel.noPaper')}</p>
          ) : (
            <details className={styles['paper']}>
              <summary className="text-s weight-550">{t('trainingPanel.showPaper')}</summary>
              <pre className="round-s line flush" aria-label={t('trainingPanel.lastPaper')}>
                {panel.lastPaper}
              </pre>
              <p>{t('trainingPanel.paperOnly')}</p>
            </details>
          )}
        </section>
      )}
    </>
  )
}

export interface ToggleProps {
  readonly selected: boolean
  readonly onChange: (selected: boolean) => void
  readonly label: string
  readonly isDisabled?: boolean
}

export function Toggle({ selected, onChange, label, isDisabled = false }: ToggleProps) {
  return (
    <Switch
      isSelected={selected}
      onChange={onChange}
      isDisabled={isDisabled}
      className={`row-3 target relative text-s weight-550 round-s ${styles['switch']}`}
    >
      <span className={`rigid relative ${styles['groove']}`} aria-hidden="true" />
      {label}
    </Switch>
  )
}
