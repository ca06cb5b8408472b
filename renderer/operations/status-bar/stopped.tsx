import { CircleAlert, OctagonX } from 'lucide-react'
import type { StopReason } from '../../../contracts/staff/session.ts'
import { Words, useWords } from '../../core/i18n/words.tsx'
import { FullPage } from '../../core/ui/surface.tsx'
import { Component, type ReactNode } from 'react'
import { reloadWindow, useTerminal } from '../../core/state/terminal.ts'
import { Button } from '../../core/ui/button.tsx'

/** The terminal has stopped taking money: why, and what to do, in the order to do it. */
export function Stopped({ reason }: { readonly reason: StopReason }) {
  const { t } = useWords()
  return (
    <FullPage tone="danger" icon={<OctagonX />} title={t('stopped.title')}>
      <p>{t(reason === 'storage-failed' ? 'stopped.storageFailed' : 'stopped.databaseChanged')}</p>
      <ol>
        <li>{t('stopped.step1')}</li>
        <li>{t('stopped.step2')}</li>
        <li>{t(reason === 'storage-failed' ? 'stopped.step3' : 'stopped.step3Changed')}</li>
      </ol>
      <p>
        <small>{t('stopped.code', { code: reason })}</small>
      </p>
    </FullPage>
  )
}

/** A fault in a screen ends in words and a way back, never in an empty window: the sale is in the backend. */
export class Crash extends Component<{ readonly children: ReactNode }, { readonly crashed: boolean }> {
  override state = { crashed: false }

  static getDerivedStateFromError(): { crashed: boolean } {
    return { crashed: true }
  }

  override render(): ReactNode {
    if (!this.state.crashed) return this.props.children
    return (
      <Words locale={useTerminal.getState().locale} timeZone={undefined}>
        <Crashed />
      </Words>
    )
  }
}

function Crashed() {
  const { t } = useWords()
  return (
    <FullPage tone="danger" icon={<CircleAlert />} title={t('app.crashedTitle')}>
      <p>{t('app.crashed')}</p>
      <Button look="primary" size="l" autoFocus onPress={() => void reloadWindow()}>
        {t('app.reload')}
      </Button>
    </FullPage>
  )
}
