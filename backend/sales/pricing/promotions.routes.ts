import { catalogContract } from '../../../contracts/catalog/catalog.routes.ts'
import type { PreviewPromotion, Promotion, PromotionPreview } from '../../../contracts/catalog/promotions.ts'
import { cents, sumCents } from '../../../contracts/core/money.ts'
import { catalogOf } from '../../catalog/catalog.ts'
import { promotionBookOf } from '../../catalog/promotion-book.ts'
import { promotionCsv, readPromotionFile, unknownIn } from '../../catalog/promotion-file.ts'
import type { Ctx } from '../../core/context.ts'
import type { App } from '../../core/http/app.ts'
import { signedIn } from '../../core/http/guards.ts'
import { serve } from '../../core/http/serve.ts'
import type { ZodTypeProvider } from 'fastify-type-provider-zod'
import { ProblemError } from '../../core/problem.ts'
import { dayAt, parseDateTime } from '../../core/zone.ts'
import { indexPromotions } from './promotion-index.ts'
import { applyPromotions } from './promotions.ts'
import { momentAt } from './promotion-times.ts'

const MAX_FILE_BYTES = 8 * 1024 * 1024

/** Refuses promotions on items, departments or categories that the catalog does not have. */
function refuseUnknownItems(ctx: Ctx, promotion: Promotion): void {
  const [unknown] = unknownIn(ctx, promotion)
  if (unknown !== undefined)
    throw new ProblemError(`${unknown.kind}-unknown`, [{ path: 'promotion', message: unknown.name }])
}

/** Prices a sample basket with a draft, which replaces the promotion of its id, and the other promotions. */
function preview(ctx: Ctx, { promotion, lines, isMember, at }: PreviewPromotion): PromotionPreview {
  const { timeZone } = ctx.profile
  const time = at === undefined ? ctx.clock.now() : parseDateTime(at, timeZone)
  if (Number.isNaN(time)) throw new ProblemError('body-invalid')
  const items = lines.map(({ sku, quantity }) => {
    const item = catalogOf(ctx).findBySku(sku)
    if (item === undefined) throw new ProblemError('item-unknown', [{ path: 'lines', message: sku }])
    return { item, quantity }
  })
  const promotions = [
    ...promotionBookOf(ctx)
      .all()
      .filter(({ id }) => id !== promotion.id),
    promotion,
  ]
  const names = new Map(promotions.map((one) => [one.id, one.names]))
  const shares = applyPromotions(
    items.map(({ item, quantity }, index) => ({
      number: index + 1,
      sku: item.sku,
      departmentId: item.departmentId,
      categoryId: item.categoryId,
      quantity,
      unitCents: item.priceCents,
      isReducible: true,
      rungAt: momentAt(time, timeZone),
    })),
    indexPromotions(promotions),
    { members: isMember, staff: promotion.buyers === 'staff', seniors: promotion.buyers === 'seniors' },
  )
  return {
    lines: items.map(({ item, quantity }, index) => {
      const reductions = shares
        .filter(({ line }) => line === index + 1)
        .map((share) => ({
          id: share.promotion,
          name: names.get(share.promotion) ?? {},
          amountCents: share.amountCents,
        }))
      const saved = sumCents(reductions.map(({ amountCents }) => amountCents))
      return {
        sku: item.sku,
        name: item.name,
        quantity,
        unitPriceCents: item.priceCents,
        amountCents: cents(quantity * item.priceCents - saved),
        reductions,
      }
    }),
    savedCents: sumCents(shares.map(({ amountCents }) => amountCents)),
  }
}

/** Routes of the manager's page of promotions. */
export function promotionsRoutes(ctx: Ctx, app: App): void {
  const book = promotionBookOf(ctx)
  serve(app, catalogContract['GET /catalog/promotions'], () => book.list())
  serve(app, catalogContract['POST /catalog/promotions'], (request) => {
    refuseUnknownItems(ctx, request.body.promotion)
    return book.save(request.body, signedIn(request).id)
  })
  serve(app, catalogContract['GET /catalog/promotions/file'], () => ({
    csv: promotionCsv(book.all()),
    fileName:
      `promotions_${ctx.profile.store.id.replaceAll(/[^A-Za-z0-9-]/g, '-')}_` +
      `${dayAt(ctx.clock.now(), ctx.profile.timeZone)}.csv`,
  }))
  void app.register(async (plain) => {
    const scope = plain.withTypeProvider<ZodTypeProvider>()
    scope.addContentTypeParser(
      'application/octet-stream',
      { parseAs: 'buffer', bodyLimit: MAX_FILE_BYTES },
      (_request, body, done) => {
        done(null, body)
      },
    )
    serve(
      scope,
      catalogContract['POST /catalog/promotions/file'],
      (request) => readPromotionFile(ctx, request.body as Buffer),
      { bodyLimit: MAX_FILE_BYTES },
    )
  })
  serve(
    app,
    catalogContract['POST /catalog/promotions/save-all'],
    (request) => {
      for (const promotion of request.body.promotions) refuseUnknownItems(ctx, promotion)
      return book.saveAll(request.body.promotions, signedIn(request).id)
    },
    { bodyLimit: MAX_FILE_BYTES },
  )
  serve(app, catalogContract['POST /catalog/promotions/remove'], (request) =>
    book.remove(request.body.id, signedIn(request).id),
  )
  serve(app, catalogContract['POST /catalog/promotions/preview'], (request) => preview(ctx, request.body))
}
