import { useQuery, useQueryClient } from '@tanstack/react-query'
import { CircleCheckBig, PencilLine, Plus, RotateCw, Send, TicketCheck, Undo2 } from 'lucide-react'
import { useEffect, useState, type ComponentProps, type ComponentType } from 'react'
import type { QueueAction, QueueDetail } from '../../../contracts/loyalty/queue.ts'
import { showAnswer, storeApi } from '../../core/api/store-api.ts'
import { useI18n } from '../../core/i18n/i18n.ts'
import { useEvents } from '../../core/state/events.ts'
import { Button } from '../../core/ui/button.tsx'
import { Dialog } from '../../core/ui/dialog.tsx'
import { useContainerFocus } from '../../core/ui/focus.ts'
import { LoadFailed } from '../../core/ui/page.tsx'
import { Tag } from '../../core/ui/surface.tsx'
import { CorrectForm } from './corrections-dialog.tsx'
import { EntryFacts } from './entry-facts.tsx'
import { CreditForm, GiveForm, ResolveForm, SendAgainForm, TakeBackForm } from './entry-forms.tsx'
import styles from './queue.module.css'

const ICONS = {
  'send-again': <RotateCw />,
  credit: <TicketCheck />,
  resolve: <CircleCheckBig />,
  correct: <Send />,
  'take-back': <Undo2 />,
  give: <Plus />,
} as const satisfies Record<QueueAction, unknown>

const FORMS: Readonly<Record<QueueAction, ComponentType<ComponentProps<typeof GiveForm>>>> = {
  'send-again': SendAgainForm,
  credit: CreditForm,
  resolve: ResolveForm,
  correct: CorrectForm,
  'take-back': TakeBackForm,
  give: GiveForm,
}

/**
 * Dialog of one entry in the exceptions queue: the problem, the remedy, the facts for support, and the manager's
 * actions.
 */
export function EntryDialog({ id: opened, onClose }: { readonly id: string; readonly onClose: () => void }) {
  const { t } = useI18n()
  const queries = useQueryClient()
  const changes = useEvents((state) => state.queueCount)
  // A corrected copy or correction is a new entry: the dialog switches to it and shows its progress.
  const [id, setId] = useState(opened)
  const [form, setForm] = useState<QueueAction | null>(null)
  const [done, setDone] = useState<QueueAction | null>(null)
  const entry = useQuery({ queryKey: ['queue-entry', id], queryFn: () => storeApi.queueEntry(id) })
  const { refetch, data: detail } = entry
  useEffect(() => {
    void refetch()
  }, [changes, refetch])

  function onDone(action: QueueAction, answer: QueueDetail): void {
    void showAnswer(queries, ['queue-entry', answer.id], answer)
    void queries.invalidateQueries({ queryKey: ['queue'] })
    setForm(null)
    setDone(action)
    setId(answer.id)
  }
  const back = (): void => setForm(null)
  const Form = form && FORMS[form]
  const panel = useContainerFocus(`${id} ${form} ${done}`)
  const title = form
    ? t(`queue.order.${form}`)
    : detail
      ? t('queue.entryTitle', { kind: t(`queue.kind.${detail.kind}`), sale: detail.saleId })
      : t('queue.title')
  return (
    <Dialog open onClose={onClose} size="l" title={title}>
      <div ref={panel} tabIndex={-1} className="stack-4 ringless">
        {entry.isPending && <p role="status">{t('app.loading')}</p>}
        {entry.isError && <LoadFailed error={entry.error} retry={() => void refetch()} />}
        {detail && form && Form && <Form detail={detail} onDone={(answer) => onDone(form, answer)} onBack={back} />}
        {detail && !form && (
          <>
            {done && (
              <p className="row-3 tone-ok weight-650 round-m pad-3-4 icons-24" role="status">
                <CircleCheckBig aria-hidden="true" />
                {t(`queue.done.${done}`)}{' '}
                <Tag>{detail.resolution ? t('queue.resolved') : t(`queue.states.${detail.state}`)}</Tag>
              </p>
            )}
            <EntryStatus
              detail={detail}
              onOpen={(next) => {
                setDone(null)
                setId(next)
              }}
            />
            <EntryActions actions={detail.actions} onChoose={setForm} />
            <EntryFacts detail={detail} />
          </>
        )}
      </div>
    </Dialog>
  )
}

interface EntryStatusProps {
  readonly detail: QueueDetail
  readonly onOpen: (id: string) => void
}

function EntryStatus({ detail, onOpen }: EntryStatusProps) {
  const { t, format } = useI18n()
  return (
    <>
      {detail.says && !detail.resolution && (
        <div className={`stack-1 round-m pad-3-4 warn-box ${styles['status']}`}>
          <p>
            <strong>{format.text(detail.says)}</strong>
          </p>
          {detail.todo && <p>{format.text(detail.todo)}</p>}
        </div>
      )}
      {detail.resolution && (
        <div className="stack-1 justify-start box pad-3-4">
          <p>
            <strong>{t(`queue.found.${detail.resolution.found}`)}</strong>{' '}
            {t('queue.resolvedBy', { name: detail.resolution.by, time: format.dateTime(detail.resolution.at) })}
          </p>
          <p>{detail.resolution.note}</p>
          {detail.correctedById && (
            <Button
              look="quiet"
              icon={<PencilLine />}
              onPress={() => detail.correctedById && onOpen(detail.correctedById)}
            >
              {t('queue.openCopy')}
            </Button>
          )}
        </div>
      )}
    </>
  )
}

interface EntryActionsProps {
  readonly actions: readonly QueueAction[]
  readonly onChoose: (action: QueueAction) => void
}

function EntryActions({ actions, onChoose }: EntryActionsProps) {
  const { t } = useI18n()
  if (actions.length === 0) return null
  return (
    <div className={`wrap-3 ${styles['actions']}`}>
      {actions.map((action, index) => (
        <Button
          key={action}
          look={index === 0 && action !== 'take-back' && action !== 'give' ? 'primary' : 'plain'}
          icon={ICONS[action]}
          onPress={() => onChoose(action)}
        >
          {t(`queue.order.${action}`)}
        </Button>
      ))}
    </div>
  )
}
