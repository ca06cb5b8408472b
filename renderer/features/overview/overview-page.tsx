import { useQuery } from '@tanstack/react-query'
import { CircleAlert, CircleCheckBig, Info, RefreshCw } from 'lucide-react'
import { Link } from 'wouter'
import { storeApi } from '../../api/store-api.ts'
import { useWords } from '../../i18n/words.tsx'
import { useEvents } from '../../state/events.ts'
import { useHeldSales } from '../../state/held-sales.ts'
import { Button } from '../../ui/button.tsx'
import { LoadFailed, PageHead, pageStyles } from '../../ui/page.tsx'
import { Empty } from '../../ui/surface.tsx'
import { SHIFTS, useShiftChanges } from '../drawer/use-current-shift.ts'
import styles from './overview.module.css'
import { SalesSoFar } from './sales-so-far.tsx'
import { useTodoWords } from './todo-words.ts'
import { todosOf, type Todo } from './todos.ts'

/** What a manager must look at today, and what was sold so far. */
export function OverviewPage() {
  const { t } = useWords()
  const { queue, devices, maintenance, notOnPaper } = useEvents()
  const held = useHeldSales((state) => state.sales.length)
  const day = useQuery({ queryKey: [SHIFTS, 'day'], queryFn: () => storeApi.zReports() })
  const connection = useQuery({ queryKey: ['connection'], queryFn: storeApi.connection })
  useShiftChanges()
  const again = (): void => {
    void day.refetch()
    void connection.refetch()
  }
  const failed = day.error ?? connection.error
  return (
    <>
      <PageHead title={t('overview.title')} intro={t('overview.intro')}>
        <Button icon={<RefreshCw />} isDisabled={day.isFetching || connection.isFetching} onPress={again}>
          {t('store.refresh')}
        </Button>
      </PageHead>
      {failed && <LoadFailed error={failed} retry={again} />}
      {!failed && !(day.data && connection.data) && <p role="status">{t('app.loading')}</p>}
      {day.data && connection.data && (
        <Todos
          todos={todosOf({
            now: Math.max(day.dataUpdatedAt, connection.dataUpdatedAt),
            queue,
            devices,
            maintenance,
            notOnPaper,
            held,
            waiting: day.data.waiting,
            check: connection.data.check,
          })}
        />
      )}
      <SalesSoFar />
    </>
  )
}

function Todos({ todos }: { readonly todos: readonly Todo[] }) {
  const { t } = useWords()
  if (todos.length === 0)
    return <Empty icon={<CircleCheckBig />} title={t('overview.clearTitle')} text={t('overview.clear')} />
  return (
    <section aria-label={t('overview.todo')}>
      <ul className={styles['todos']}>
        {todos.map((todo, index) => (
          // What is to do has no name of its own, and nothing in a row has a state that could go astray.
          <TodoRow key={`${todo.kind}-${index}`} todo={todo} />
        ))}
      </ul>
    </section>
  )
}

function TodoRow({ todo }: { readonly todo: Todo }) {
  const { t } = useWords()
  const { text, help, section } = useTodoWords(todo)
  return (
    <li data-urgent={todo.urgent}>
      <span aria-hidden="true">{todo.urgent ? <CircleAlert /> : <Info />}</span>
      <span>
        <strong>{text}</strong>
        {help && <small>{help}</small>}
      </span>
      <Link
        href={`/manager/${section}`}
        aria-label={t('overview.openOf', { page: t(`store.${section}`) })}
        className={pageStyles['link'] ?? ''}
      >
        {t('overview.open')}
      </Link>
    </li>
  )
}
