import { z } from 'zod'
import {
  ChangeSetting,
  SettingList,
  SettingName,
  SettingsExport,
  SettingsExportRequest,
  UndoSetting,
} from '../../../contracts/staff/settings.ts'
import type { Routes } from '../../core/http/app.ts'
import { signedIn } from '../../core/http/guards.ts'
import { settingsOf } from './settings.ts'
import type { Ctx } from '../../core/context.ts'

const tags = ['settings']
const config = { access: 'manager' } as const
const byName = z.object({ name: SettingName })
const answer = { 200: SettingList }

/** The settings of the lane, for its manager. */
export const settingsRoutes =
  (ctx: Ctx): Routes =>
  (app) => {
    const settings = settingsOf(ctx)
    app.get(
      '/api/settings',
      { schema: { tags, summary: 'Every setting, with what the profile says of it', response: answer }, config },
      () => ({ settings: settings.list() }),
    )
    app.put(
      '/api/settings/:name',
      {
        schema: {
          tags,
          summary: 'Change a setting, at once or from a time to come; or have the profile’s value again',
          params: byName,
          body: ChangeSetting,
          response: answer,
        },
        config,
      },
      (request) => ({ settings: settings.change(request.params.name, request.body, signedIn(request)) }),
    )
    app.post(
      '/api/settings/:name/undo',
      {
        schema: {
          tags,
          summary: 'Put back what stood before a change; a planned one is called off',
          params: byName,
          body: UndoSetting,
          response: answer,
        },
        config,
      },
      (request) => ({ settings: settings.undo(request.params.name, request.body, signedIn(request)) }),
    )
    app.post(
      '/api/settings/exports',
      {
        schema: {
          tags,
          summary: 'What differs from the profile, as a file; stands in the trail',
          body: SettingsExportRequest,
          response: { 200: SettingsExport },
        },
        config,
      },
      (request) => settings.export(request.body.format, signedIn(request).id),
    )
  }
