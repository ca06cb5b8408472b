import { catalogContract } from '../../../contracts/catalog/catalog.routes.ts'
import type { PreviewPromotion, PromotionPreview } from '../../../contracts/catalog/promotions.ts'
import { cents, sumCents } from '../../../contracts/core/money.ts'
import { catalogOf } from '../../catalog/catalog.ts'
import { promotionBookOf } from '../../catalog/promotion-book.ts'
import { exportBook, MAX_FILE_BYTES, readBook, refuseUnusable, serveFiles } from '../../catalog/book-file.ts'
import { promotionFile, unknownIn } from '../../catalog/promotion-file.ts'
import type { Ctx } from '../../core/context.ts'
import type { App } from '../../core/http/app.ts'
import { signedIn } from '../../core/http/guards.ts'
import { serve } from '../../core/http/serve.ts'
import { ProblemError } from '../../core/problem.ts'
import { parseDateTime } from '../../core/zone.ts'
import { indexPromotions } from './promotion-index.ts'
import { applyPromotions } from './promotions.ts'
import { momentAt } from './promotion-times.ts'

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
    refuseUnusable(unknownIn(ctx, request.body.promotion), 'promotion')
    return book.save(request.body, signedIn(request).id)
  })
  const file = promotionFile(ctx)
  serve(app, catalogContract['GET /catalog/promotions/file'], () => exportBook(ctx, file))
  serveFiles(app, (scope) =>
    serve(
      scope,
      catalogContract['POST /catalog/promotions/file'],
      (request) => readBook(file, request.body as Buffer),
      {
        bodyLimit: MAX_FILE_BYTES,
      },
    ),
  )
  serve(
    app,
    catalogContract['POST /catalog/promotions/save-all'],
    (request) => {
      for (const promotion of request.body.promotions) refuseUnusable(unknownIn(ctx, promotion), 'promotion')
      return book.saveAll(request.body.promotions, signedIn(request).id)
    },
    { bodyLimit: MAX_FILE_BYTES },
  )
  serve(app, catalogContract['POST /catalog/promotions/remove'], (request) =>
    book.remove(request.body.id, signedIn(request).id),
  )
  serve(app, catalogContract['POST /catalog/promotions/preview'], (request) => preview(ctx, request.body))
}
