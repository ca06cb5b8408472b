import { Clapperboard, Hourglass, Wrench } from 'lucide-react'
import type { Scenario, TrainingPanel } from '../../../contracts/api/training.ts'
import { useWords } from '../../i18n/words.tsx'
import { Button } from '../../ui/button.tsx'
import { Toggle } from './toggle.tsx'
import styles from './training-devices.module.css'

interface FarEndsProps {
  readonly panel: TrainingPanel
  /** What is being played now. */
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
} as const

/**
 * Cables, printer and drawer as switches, and what may happen at a checkout as buttons: each by the name that the tests
 * use.
 */
export function FarEnds({ panel, playing, play }: FarEndsProps) {
  const { t } = useWords()
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
                  {waiting && <span className={styles['waiting']}>{t('trainingPanel.waiting')}</span>}
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
          <Toggle
            isDisabled={busy}
            selected={printer.paper === 'out'}
            onChange={(out) => play(out ? 'paper-out' : 'paper-ok')}
            label={t('trainingPanel.paperOut')}
          />
          <Toggle
            isDisabled={busy}
            selected={printer.cover === 'open'}
            onChange={(open) => play(open ? 'cover-open' : 'cover-closed')}
            label={t('trainingPanel.coverOpen')}
          />
          <Toggle
            isDisabled={busy}
            selected={!printer.answers}
            onChange={(silent) => play(silent ? 'printer-silent' : 'printer-talks')}
            label={t('trainingPanel.printerSilent')}
          />
          <Toggle
            isDisabled={busy}
            selected={printer.drawer === 'open'}
            onChange={(open) => play(open ? 'drawer-open' : 'drawer-closed')}
            label={t('trainingPanel.drawerOpen')}
          />
          <Toggle
            isDisabled={busy}
            selected={printer.drawerHeld}
            onChange={(held) => play(held ? 'drawer-held' : 'drawer-free')}
            label={t('trainingPanel.drawerHeld')}
          />
        </section>
      )}
    </>
  )
}
