import { CircleAlert, OctagonX } from 'lucide-react'
import type { StopReason } from '../../../contracts/staff/session.ts'
import { LanguageProvider, useI18n } from '../../core/i18n/i18n.ts'
import { FullPage } from '../../core/ui/surface.tsx'
import { Component, type ReactNode } from 'react'
import { reloadWindow, useTerminal } from '../../core/state/terminal.ts'
import { Button } from '../../core/ui/button.tsx'

export function Stopped({ reason }: { readonly reason: StopReason }) {
  const { t } = useI18n()
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

/** Shows a message and a way back after an error in a screen; the sale is safe in the backend. */
export class Crash extends Component<{ readonly children: ReactNode }, { readonly crashed: boolean }> {
  override state = { crashed: false }

  static getDerivedStateFromError(): { crashed: boolean } {
    return { crashed: true }
  }

  override render(): ReactNode {
    if (!this.state.crashed) return this.props.children
    return (
      <LanguageProvider locale={useTerminal.getState().locale} timeZone={undefined}>
        <Crashed />
      </LanguageProvider>
    )
  }
}

function Crashed() {
  const { t } = useI18n()
  return (
    <FullPage tone="danger" icon={<CircleAlert />} title={t('app.crashedTitle')}>
      <p>{t('app.crashed')}</p>
      <Button look="primary" size="l" autoFocus onPress={() => void reloadWindow()}>
        {t('app.reload')}
      </Button>
    </FullPage>
  )
}
